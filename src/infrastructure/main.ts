import { existsSync } from 'node:fs';
import { runCommandLine } from './command-line.js';

if (existsSync('.env')) process.loadEnvFile('.env');
process.exitCode = await runCommandLine(process.argv.slice(2), {});
