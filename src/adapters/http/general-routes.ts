import type { HttpDependencies } from './dependencies.js';
import type { Endpoints } from './endpoints.js';
import { sendPublicJson } from './public-json.js';
import type { Throttling } from './throttling.js';

export const STATUS = 'The radio directory is reachable';

export function generalRoutes(
  endpoints: Endpoints,
  { directory, version }: HttpDependencies,
  throttling: Throttling,
): void {
  /** Needs no storage: it says that the API is reachable, not that all is well. */
  endpoints.get('/', throttling.perAddress, (request, response) =>
    sendPublicJson(request, response, { message: STATUS, version }),
  );

  endpoints.get('/stats', throttling.perAddress, async (request, response) => {
    const { users, organizations, stations } = await directory.statistics();
    await sendPublicJson(request, response, { users, organizations, stations });
  });
}
