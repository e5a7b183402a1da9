import { type Config, ConfigurationError, loadConfig } from '../config.js';
import { checkSafety } from './safety-checks.js';
import { type Finding, fine, problem, warning } from './finding.js';
import { checkRedis, checkSmtp } from './network-checks.js';
import { checkDataDirectory, checkDatabase } from './storage-checks.js';

type Variables = Readonly<Record<string, string | undefined>>;

/** Looks at everything the service needs, leaves it as it was, and answers whatever is broken. */
export async function diagnose(variables: Variables): Promise<readonly Finding[]> {
  const { config, mistakes } = readConfig(variables);
  const findings = mistakes.map((mistake) =>
    problem('configuration', mistake, 'Correct it in the environment or in .env.'),
  );
  if (config === null) return findings;
  const wrong = new Set(mistakes.map(variableIn));
  const unlessWrong = (check: string, names: readonly string[], examine: () => Promise<Finding[]>) => {
    const name = names.find((one) => wrong.has(one));
    if (name === undefined) return examine();
    return Promise.resolve([warning(check, `Not checked, for ${name} is wrong.`, 'Correct it first.')]);
  };
  const examined = await Promise.all([
    unlessWrong('data directory', ['DATA_DIR', 'DATABASE_URL'], () => checkDataDirectory(config)),
    unlessWrong('database', ['DATA_DIR', 'DATABASE_URL', 'DATABASE_REPLICA_URL'], () =>
      checkDatabase(config),
    ),
    unlessWrong('redis', ['REDIS_URL'], () => checkRedis(config)),
    unlessWrong('smtp', ['SMTP_URL', 'MAIL_FROM', 'PUBLIC_URL'], () => checkSmtp(config)),
    checkSafety(config, wrong),
  ]);
  const well = findings.length === 0 ? [fine('configuration', 'Every variable is well-formed.')] : findings;
  return [...well, ...examined.flat()];
}

/** Mistaken variables are taken for unset, so that the others can be looked at; null where even that is none. */
function readConfig(variables: Variables): { config: Config | null; mistakes: readonly string[] } {
  try {
    return { config: loadConfig(variables), mistakes: [] };
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    const { mistakes } = error;
    const kept: Record<string, string | undefined> = { ...variables };
    for (const name of mistakes.map(variableIn)) kept[name] = '';
    // Its absence may be the mistake. Nothing is signed here.
    if (mistakes.some((mistake) => variableIn(mistake) === 'JWT_SECRETS'))
      kept['JWT_SECRETS'] = '-'.repeat(32);
    try {
      return { config: loadConfig(kept), mistakes };
    } catch (again) {
      if (again instanceof ConfigurationError) return { config: null, mistakes };
      throw again;
    }
  }
}

/** Every mistake begins with the name of its variable. */
function variableIn(mistake: string): string {
  return mistake.split(' ', 1)[0] ?? '';
}
