import { connect } from 'node:net';
import { performance } from 'node:perf_hooks';

/**
 * Asks for one URL over keep-alive connections, one request after the other on each, as fast as it is answered.
 * @returns {Promise<{ perSecond: number, p50: number, p99: number, statuses: Record<string, number>, bytes: number }>}
 *   milliseconds; bytes of the last body
 */
export async function load(url, { seconds = 5, connections = 50, headers = {} } = {}) {
  const { hostname, port, pathname } = new URL(url);
  const lines = Object.entries({ Host: hostname, ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  const request = `GET ${pathname} HTTP/1.1\r\n${lines.join('')}\r\n`;
  const times = [];
  const statuses = {};
  let bytes = 0;
  const until = performance.now() + seconds * 1_000;
  const began = performance.now();
  await Promise.all(
    Array.from({ length: connections }, () => {
      const socket = connect(Number(port), hostname);
      return new Promise((resolve, reject) => {
        let sent = 0;
        let head = '';
        let missing = -1;
        const ask = () => {
          sent = performance.now();
          head = '';
          missing = -1;
          socket.write(request);
        };
        socket.on('connect', ask);
        socket.on('error', reject);
        socket.on('close', () => reject(new Error('The server closed a connection.')));
        socket.on('data', (chunk) => {
          if (missing < 0) {
            head += chunk.toString('latin1');
            const end = head.indexOf('\r\n\r\n');
            if (end < 0) return;
            const length = Number(/\r\ncontent-length: (\d+)/i.exec(head.slice(0, end + 2))?.[1] ?? 0);
            const status = head.slice(9, 12);
            statuses[status] = (statuses[status] ?? 0) + 1;
            bytes = length;
            missing = length - (head.length - end - 4);
          } else missing -= chunk.length;
          if (missing > 0) return;
          const now = performance.now();
          times.push(now - sent);
          if (now < until) return ask();
          socket.removeAllListeners('close');
          socket.destroy();
          resolve();
        });
      });
    }),
  );
  const elapsed = (performance.now() - began) / 1_000;
  times.sort((one, other) => one - other);
  const at = (share) => times[Math.min(times.length - 1, Math.floor(times.length * share))];
  return { perSecond: times.length / elapsed, p50: at(0.5), p99: at(0.99), statuses, bytes };
}
