import { writeFile } from 'node:fs/promises';
import { CLIENT_SCHEMA, clientSchema } from './client-schema.js';

await writeFile(CLIENT_SCHEMA, await clientSchema());
