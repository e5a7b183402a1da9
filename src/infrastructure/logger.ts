import { type Logger, pino } from 'pino';
import { PinoPretty } from 'pino-pretty';

export type { Logger };

/** JSON lines on standard output; on a terminal, lines for people. */
export function createLogger(level: string): Logger {
  const options = { level, base: null, timestamp: () => `,"time":"${new Date().toISOString()}"` };
  if (!process.stdout.isTTY) return pino(options);
  return pino(
    options,
    PinoPretty({ sync: true, translateTime: 'SYS:HH:MM:ss', ignore: 'pid,hostname', singleLine: true }),
  );
}
