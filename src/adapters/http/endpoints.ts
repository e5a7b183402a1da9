import { type RequestHandler, Router } from 'express';
import { sendError } from './error-responses.js';

type Method = 'get' | 'post' | 'put' | 'delete';

/** An Express router that knows the methods of its paths, so that every other method answers 405 with `Allow`. */
export class Endpoints {
  readonly #router = Router();
  readonly #allowed = new Map<string, string[]>();

  get(path: string, ...handlers: RequestHandler[]): void {
    this.#declare('get', path, handlers);
  }

  post(path: string, ...handlers: RequestHandler[]): void {
    this.#declare('post', path, handlers);
  }

  put(path: string, ...handlers: RequestHandler[]): void {
    this.#declare('put', path, handlers);
  }

  delete(path: string, ...handlers: RequestHandler[]): void {
    this.#declare('delete', path, handlers);
  }

  /**
   * All that was declared, and the refusal of every other method. The refusals come last: two patterns may match one
   * path, and the second may know the method.
   * @param before runs before a refusal
   */
  router(before: RequestHandler): Router {
    for (const [path, methods] of this.#allowed) {
      const allow = [...methods, 'OPTIONS'].join(', ');
      this.#router.options(path, before, (_request, response) => {
        response.set('Allow', allow).status(204).end();
      });
      this.#router.all(path, before, (_request, response) => {
        response.set('Allow', allow);
        sendError(response, { kind: 'method-not-allowed' });
      });
    }
    return this.#router;
  }

  #declare(method: Method, path: string, handlers: RequestHandler[]): void {
    this.#router[method](path, ...handlers);
    const methods = method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()];
    this.#allowed.set(path, [...(this.#allowed.get(path) ?? []), ...methods]);
  }
}
