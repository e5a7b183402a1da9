import createClient, { type Client, type ClientOptions } from 'openapi-fetch';
import type { paths } from './schema.js';

/** The shapes of requests and answers, from the API's own description. */
export type { components, operations, paths } from './schema.js';

export type DirectoryClient = Client<paths>;

/**
 * A client of a radio directory, typed by its paths: `client.GET('/stream')`. It resolves to `{ data, response }`, or to
 * `{ error, response }` for every status of 400 and above; it rejects when there is no answer at all.
 * @param baseUrl where the directory is reached, without a final slash
 * @param options as `fetch` takes them, sent with every request: `{ headers: { Authorization: 'Bearer …' } }`
 */
export function createDirectoryClient(
  baseUrl: string,
  options: Omit<ClientOptions, 'baseUrl'> = {},
): DirectoryClient {
  return createClient<paths>({ ...options, baseUrl });
}
