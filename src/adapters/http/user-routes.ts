import { setTimeout as delay } from 'node:timers/promises';
import Joi from 'joi';
import {
  MAX_PASSWORD_BYTES,
  PlainPassword,
  parseEmailAddress,
  parseUsername,
} from '../../domain/credentials.js';
import type { Result } from '../../domain/result.js';
import type { Authentication } from './authentication.js';
import type { HttpDependencies } from './dependencies.js';
import type { Endpoints } from './endpoints.js';
import { sendError } from './error-responses.js';
import { type BrokenRule, ruleOf } from './input-rules.js';
import { jsonBody } from './request-body.js';
import type { SecurityLog } from './security-log.js';
import { streamJson } from './stream-json.js';
import type { Throttling } from './throttling.js';
import { pathText, text, valid } from './valid.js';

/** A known email costs a transaction, an unknown one a look-up. Nobody is answered before both are long done. */
const RESET_ANSWER_MILLISECONDS = 100;

/** Required, as everything below that the domain parses. What it parses by is told again as JSON Schema, for readers. */
const username = () =>
  textThat(parseUsername)
    .description('Unique whatever its letter case. No control or format characters.')
    .meta({ pattern: String.raw`\S` });
const email = () =>
  textThat(parseEmailAddress)
    .description('One mailbox, in ASCII. Its letter case does not count.')
    .meta({ format: 'email', maxLength: 254 });
const newPassword = () =>
  textThat((raw) => PlainPassword.parse(raw))
    .description(
      `At least 8 characters, among them an upper-case letter, a number and a special character; at most ${MAX_PASSWORD_BYTES} bytes of UTF-8.`,
    )
    .meta({
      format: 'password',
      minLength: 8,
      maxLength: MAX_PASSWORD_BYTES,
      pattern: `^${['\\p{Lu}', '\\p{N}', '[\\p{P}\\p{S}]'].map((one) => `(?=[\\s\\S]*${one})`).join('')}`,
    });

export const registrationBody = Joi.object<{ username: string; email: string; password: string }, true>({
  username: username(),
  email: email(),
  password: newPassword(),
});
export const loginBody = Joi.object<{ email: string; password: string; thirtyDaysLogin: boolean }, true>({
  email: text().required(),
  password: text().required().meta({ format: 'password' }),
  thirtyDaysLogin: Joi.boolean().default(false).description('Valid for 30 days instead of 24 hours.'),
});
export const resetRequestBody = Joi.object<{ email: string }, true>({ email: email() });
export const newPasswordBody = Joi.object<{ password: string }, true>({ password: newPassword() });

/** Required, and refused in the domain's terms, so that one answer names every broken rule of every field. */
function textThat(parse: (raw: string) => Result<unknown, BrokenRule>): Joi.StringSchema {
  return Joi.string()
    .required()
    .custom((value: string, helpers) => {
      const parsed = parse(value);
      return parsed.ok ? value : helpers.message({ custom: ruleOf(parsed.error) });
    });
}

export function userRoutes(
  endpoints: Endpoints,
  dependencies: HttpDependencies,
  authentication: Authentication,
  throttling: Throttling,
  security: SecurityLog,
): void {
  const { registerAccount, activateAccount, disownAccount, logIn, requestPasswordReset, resetPassword } =
    dependencies;
  const { directory, clock } = dependencies;

  endpoints.post('/user', throttling.strict('POST /user', 5), async (request, response) => {
    const registration = valid(registrationBody, await jsonBody(request, response));
    const registered = await registerAccount.execute(registration);
    const { email } = registration;
    if (!registered.ok) {
      const { kind } = registered.error;
      // What is wrong with the input never gets here: see `valid`.
      if (kind !== 'invalid-registration') security.record(request, 'registration-refused', { email }, kind);
      return sendError(response, registered.error);
    }
    security.record(request, 'account-registered', { user: registered.value, email });
    response.status(201).json({ message: 'User created, please active user' });
  });

  endpoints.post('/user/activate/:token', throttling.perAddress, async (request, response) => {
    const activated = await activateAccount.execute(pathText(request, 'token'));
    if (!activated.ok) {
      security.record(request, 'one-time-token-refused', {}, 'activation');
      return sendError(response, activated.error);
    }
    security.record(request, 'account-activated', { user: activated.value });
    response.json({ message: 'User activated' });
  });

  endpoints.delete(
    '/user/verify/:token',
    throttling.strict('DELETE /user/verify', 5),
    async (request, response) => {
      const disowned = await disownAccount.execute(pathText(request, 'token'));
      if (!disowned.ok) {
        security.record(request, 'one-time-token-refused', {}, 'disowning');
        return sendError(response, disowned.error);
      }
      security.record(request, 'account-disowned', { user: disowned.value });
      response.json({ message: 'User deleted' });
    },
  );

  endpoints.post('/user/login', throttling.strict('POST /user/login', 10), async (request, response) => {
    const credentials = valid(loginBody, await jsonBody(request, response));
    const loggedIn = await logIn.execute(credentials);
    const { email } = credentials;
    if (!loggedIn.ok) {
      const { error } = loggedIn;
      const reason = error.kind === 'wrong-credentials' ? error.reason : error.kind;
      security.record(request, 'login-refused', { email }, reason);
      return sendError(response, error);
    }
    security.record(request, 'logged-in', { user: loggedIn.value.user, email });
    response.json({ access_token: loggedIn.value.accessToken });
  });

  endpoints.post(
    '/user/requestPasswordChange',
    throttling.strict('POST /user/requestPasswordChange', 5),
    async (request, response) => {
      const { email } = valid(resetRequestBody, await jsonBody(request, response));
      const earliest = delay(RESET_ANSWER_MILLISECONDS);
      const requested = await requestPasswordReset.execute(email);
      if (!requested.ok) return sendError(response, requested.error);
      security.record(request, 'reset-requested', { email });
      await earliest;
      response.json({ message: 'forgetPassword.sendRequest' });
    },
  );

  endpoints.put('/user/resetPassword/:token', throttling.perAddress, async (request, response) => {
    const { password } = valid(newPasswordBody, await jsonBody(request, response));
    const reset = await resetPassword.execute(pathText(request, 'token'), password);
    if (!reset.ok) {
      if (reset.error.kind === 'invalid-token')
        security.record(request, 'one-time-token-refused', {}, 'reset');
      return sendError(response, reset.error);
    }
    security.record(request, 'password-reset', { user: reset.value });
    response.status(201).json({ message: 'resetPassword.successful' });
  });

  endpoints.get('/user/streams', throttling.perAddress, async (request, response) => {
    const session = authentication.session(request);
    if (!session.ok) return sendError(response, session.error);
    const streams = await directory.streamsOfMember(session.value);
    if (!streams.ok) {
      security.sessionEnded(request, session.value);
      return sendError(response, streams.error);
    }
    const now = clock.now();
    response.json(
      streams.value.map((stream) => ({
        ...streamJson(stream, now),
        uuid: stream.uuid,
        isActive: stream.isActive,
      })),
    );
  });
}
