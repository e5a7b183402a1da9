import { statSync } from 'node:fs';
import { runCommandLine } from './command-line.js';

if (statSync('.env', { throwIfNoEntry: false })?.isFile()) process.loadEnvFile('.env');
process.exitCode = await runCommandLine(process.argv.slice(2), {});
