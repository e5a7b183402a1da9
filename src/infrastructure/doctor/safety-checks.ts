import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../config.js';
import { type Finding, fine, problem, warning } from './finding.js';

const NEW_SECRET = 'Set JWT_SECRETS to what `openssl rand -base64 48` prints, in front of the old one.';
/** A random text of the shortest length allowed has more different characters than this. */
const FEWEST_CHARACTERS = 12;

/** What is well-formed and still unsafe. */
export async function checkSafety(config: Config, wrong: ReadonlySet<string>): Promise<Finding[]> {
  return [
    ...(wrong.has('JWT_SECRETS') ? [] : [await checkSecrets(config)]),
    ...(wrong.has('PUBLIC_URL') ? [] : [checkPublicUrl(config)]),
    checkLimits(config),
  ];
}

async function checkSecrets({ jwtSecrets, dataDir, database }: Config): Promise<Finding> {
  const check = 'jwt secret';
  if (jwtSecrets) {
    const guessable = jwtSecrets.filter((secret) => new Set(secret).size < FEWEST_CHARACTERS).length;
    if (guessable > 0)
      return problem(
        check,
        'A secret in JWT_SECRETS can be guessed: it repeats a few characters.',
        NEW_SECRET,
      );
    return fine(check, `JWT_SECRETS holds ${jwtSecrets.length}; the first signs.`);
  }
  if (database.kind === 'memory') return fine(check, 'A new one is made for each start.');
  const path = join(dataDir, 'jwt-secret');
  const file = await stat(path).catch(() => null);
  if (file === null) return fine(check, `It will be created in ${path} at the first start.`);
  if ((file.mode & 0o077) !== 0)
    return problem(
      check,
      `Others on this machine can open ${path}.`,
      `chmod 600 ${path}, or delete it: all logins end then.`,
    );
  const secret = await readFile(path, 'utf8').catch(() => null);
  if (secret === null)
    return problem(check, `${path} cannot be read by this user.`, 'Run as the user who owns it.');
  if (Buffer.byteLength(secret.trim()) < 32)
    return problem(
      check,
      `The secret in ${path} is too short.`,
      'Delete the file: the next start makes a new one.',
    );
  return fine(check, `It lies in ${path}, readable by its owner only.`);
}

function checkPublicUrl({ publicUrl, production }: Config): Finding {
  const check = 'public url';
  const { hostname, protocol } = new URL(publicUrl);
  const advice = 'Set PUBLIC_URL to the https address that users reach the service at.';
  if (!production) return fine(check, `Links in mails begin with ${publicUrl}.`);
  if (/^(localhost|127\..*|\[::1\]|0\.0\.0\.0)$/.test(hostname))
    return problem(check, `Links in mails begin with ${publicUrl}: nobody else reaches that.`, advice);
  if (protocol === 'http:')
    return warning(check, `Links in mails begin with ${publicUrl}, which is not encrypted.`, advice);
  return fine(check, `Links in mails begin with ${publicUrl}.`);
}

function checkLimits({ rateLimits, trustProxy, production }: Config): Finding {
  const check = 'limits';
  if (!rateLimits)
    return (production ? problem : warning)(
      check,
      'Nothing limits how often a client may call.',
      'Leave RATE_LIMITS unset: off is for tests and benchmarks.',
    );
  if (trustProxy === true)
    return warning(
      check,
      'Every client can choose the address that it is counted by.',
      'Set TRUST_PROXY to the addresses of your proxies instead of true.',
    );
  return fine(check, 'Requests are limited per client.');
}
