import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { RequestHandler, Router } from 'express';
import helmet from 'helmet';
import { Endpoints } from '../endpoints.js';
import type { OpenApiDocument } from './document.js';

const SWAGGER_UI = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Radio Directory: API reference</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="/docs/swagger-ui.css">
  </head>
  <body>
    <div id="reference"></div>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`;
/** `validatorUrl: null`: nothing is sent to an outside service. */
const START = `SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  validatorUrl: null,
});
`;

/** `GET /openapi.json` and, at `GET /docs`, a page to read it and to send requests to the API. No file comes from elsewhere. */
export function apiReference(document: OpenApiDocument): Router {
  const endpoints = new Endpoints();
  const api = document.servers.map(({ url }) => new URL(url).origin);
  const guarded = securityHeaders(api);
  endpoints.get('/openapi.json', (_request, response) => void response.json(document));
  endpoints.get('/docs', guarded, (_request, response) => void response.type('html').send(PAGE));
  endpoints.get('/docs/start.js', guarded, (_request, response) => void response.type('js').send(START));
  for (const file of ['swagger-ui.css', 'swagger-ui-bundle.js'])
    endpoints.get(`/docs/${file}`, guarded, (_request, response) =>
      response.sendFile(join(SWAGGER_UI, file)),
    );
  return endpoints.router((_request, _response, next) => next());
}

/** The page loads from here and calls the API, and nothing else. */
function securityHeaders(api: readonly string[]): RequestHandler {
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        'default-src': ["'none'"],
        'script-src': ["'self'"],
        // The page sets styles on its elements.
        'style-src': ["'self'", "'unsafe-inline'"],
        'img-src': ["'self'", 'data:'],
        'connect-src': ["'self'", ...api],
        'base-uri': ["'none'"],
        'form-action': ["'none'"],
        'frame-ancestors': ["'none'"],
      },
    },
    // It may be served without TLS, on a port of its own.
    strictTransportSecurity: false,
  });
}
