import { fileURLToPath } from 'node:url';
import openapiTypes, { type OpenAPI3, astToString } from 'openapi-typescript';
import { format, resolveConfig } from 'prettier';
import { openApiDocument } from '../src/adapters/http/openapi/document.js';

export const CLIENT_SCHEMA = fileURLToPath(new URL('../src/client/schema.ts', import.meta.url));

/** What `src/client/schema.ts` must hold: the types of the OpenAPI document. */
export async function clientSchema(): Promise<string> {
  const document = openApiDocument('http://localhost:3000', 'any');
  const types = astToString(await openapiTypes(document as unknown as OpenAPI3));
  const source = `// Made from the OpenAPI document by \`npm run generate:client\`.\n\n${types}`;
  return format(source, { ...(await resolveConfig(CLIENT_SCHEMA)), filepath: CLIENT_SCHEMA });
}
