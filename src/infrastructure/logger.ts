import { type DestinationStream, type Logger, destination, pino } from 'pino';
import { PinoPretty } from 'pino-pretty';

export type { Logger };

/** JSON lines on standard output, unless told where; on a terminal, lines for people. */
export function createLogger(
  level: string,
  output: 'stdout' | 'stderr' | DestinationStream = 'stdout',
): Logger {
  const options = { level, base: null, timestamp: () => `,"time":"${new Date().toISOString()}"` };
  if (typeof output === 'object') return pino(options, output);
  const { isTTY, fd } = process[output];
  if (!isTTY) return pino(options, destination({ fd, sync: true }));
  const style = { translateTime: 'SYS:HH:MM:ss', ignore: 'pid,hostname', singleLine: true };
  return pino(options, PinoPretty({ destination: fd, sync: true, ...style }));
}
