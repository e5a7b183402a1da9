import { loginBody, newPasswordBody, registrationBody, resetRequestBody } from '../user-routes.js';
import { EMAIL_TOKEN, MEMBER_STREAM } from './examples.js';
import { ANYBODY, type Operation, type Operations, USER, pathParameter } from './operation.js';
import { EVERYWHERE, type Examples, refusal, shared, success } from './responses.js';
import { type JsonSchema, bodySchema, listOf, ref } from './schemas.js';

const EMAIL = 'anna@listener.example';
const PASSWORD = 'Correct-Horse-1';
const WEAK = 'password must hold a number and hold a special character.';
const INVALID_TOKEN = { token: 'Invalid or expired token' };
const NO_JSON = { json: 'The body is not valid JSON.' };

const emailToken = pathParameter(
  'token',
  { type: 'string', minLength: 1 },
  'The token from the mail.',
  EMAIL_TOKEN,
);

function json(schema: JsonSchema, examples: Examples): NonNullable<Operation['requestBody']> {
  return {
    required: true,
    description: 'At most 16 KiB.',
    content: { 'application/json': { schema, examples } },
  };
}

function message(text: string) {
  return [ref('Message'), { example: { value: { message: text } } }] as const;
}

const READS_BODY = shared('PayloadTooLarge', 'UnsupportedMediaType', 'TooManyRequests');

export const userOperations: Operations = {
  'POST /user': {
    operationId: 'register',
    tags: ['Users'],
    summary: 'Register; a confirmation mail is sent',
    description: 'At most 5 a minute.',
    security: ANYBODY,
    requestBody: json(bodySchema(registrationBody), {
      example: { value: { username: 'Anna', email: EMAIL, password: PASSWORD } },
    }),
    responses: {
      '201': success('Registered; awaits activation.', ...message('User created, please active user')),
      ...EVERYWHERE,
      ...READS_BODY,
      '400': refusal(400, 'The body cannot be used. The message names every field that is wrong.', {
        password: WEAK,
        missing: 'username is required; email is required; password is required.',
        ...NO_JSON,
      }),
      '409': refusal(409, 'Somebody has this name or this address; it is not said which.', {
        example: 'Username or email already in use',
      }),
    },
  },
  'POST /user/activate/:token': {
    operationId: 'activate',
    tags: ['Users'],
    summary: 'Activate the account by the token of the confirmation mail',
    security: ANYBODY,
    parameters: [emailToken],
    responses: {
      '200': success('Activated.', ...message('User activated')),
      ...EVERYWHERE,
      ...shared('TooManyRequests'),
      '400': refusal(400, 'Unknown, used, or older than 24 hours.', INVALID_TOKEN),
    },
  },
  'DELETE /user/verify/:token': {
    operationId: 'disown',
    tags: ['Users'],
    summary: 'Delete an account that awaits activation: "that was not me"',
    description: 'At most 5 a minute.',
    security: ANYBODY,
    parameters: [emailToken],
    responses: {
      '200': success('Deleted.', ...message('User deleted')),
      ...EVERYWHERE,
      ...shared('TooManyRequests'),
      '400': refusal(400, 'Unknown, used, or older than 24 hours.', INVALID_TOKEN),
    },
  },
  'POST /user/login': {
    operationId: 'logIn',
    tags: ['Users'],
    summary: 'Log in',
    description: 'At most 10 a minute, and 50 failures for one email address an hour.',
    security: ANYBODY,
    requestBody: json(bodySchema(loginBody), {
      day: { summary: 'For 24 hours', value: { email: EMAIL, password: PASSWORD } },
      month: { summary: 'For 30 days', value: { email: EMAIL, password: PASSWORD, thirtyDaysLogin: true } },
    }),
    responses: {
      '200': success('Logged in.', ref('AccessToken'), {
        example: {
          value: { access_token: 'eyJhbGciOiJIUzI1NiIsImtpZCI6IjEifQ.eyJzdWIiOiIxIn0.c2lnbmF0dXJl' },
        },
      }),
      ...EVERYWHERE,
      ...READS_BODY,
      '400': refusal(400, 'The body cannot be used.', {
        missing: 'email is required; password is required.',
        ...NO_JSON,
      }),
      '401': {
        ...refusal(401, 'Unknown address or wrong password; it is not said which.', {
          example: 'Invalid email or password',
        }),
        headers: {
          ...refusal(401, '').headers,
          'WWW-Authenticate': { $ref: '#/components/headers/Challenge' },
        },
      },
      '403': refusal(403, 'The password is right, but the account awaits activation.', {
        example: 'User not activated',
      }),
    },
  },
  'POST /user/requestPasswordChange': {
    operationId: 'requestPasswordReset',
    tags: ['Users'],
    summary: 'Ask for a mail with a token that sets a new password',
    description: 'At most 5 a minute. The answer is the same for an address that nobody has.',
    security: ANYBODY,
    requestBody: json(bodySchema(resetRequestBody), { example: { value: { email: EMAIL } } }),
    responses: {
      '200': success('Asked for.', ...message('forgetPassword.sendRequest')),
      ...EVERYWHERE,
      ...READS_BODY,
      '400': refusal(400, 'The body cannot be used.', {
        email: 'email must be one email address of at most 254 ASCII characters.',
        ...NO_JSON,
      }),
    },
  },
  'PUT /user/resetPassword/:token': {
    operationId: 'resetPassword',
    tags: ['Users'],
    summary: 'Set a new password by the token of the mail',
    description: 'Ends every login. A refused password does not use the token up.',
    security: ANYBODY,
    parameters: [emailToken],
    requestBody: json(bodySchema(newPasswordBody), { example: { value: { password: 'Battery-Staple-2' } } }),
    responses: {
      '201': success('Set.', ...message('resetPassword.successful')),
      ...EVERYWHERE,
      ...READS_BODY,
      '400': refusal(400, 'The token is unknown, used or older than an hour, or the body cannot be used.', {
        ...INVALID_TOKEN,
        password: WEAK,
        ...NO_JSON,
      }),
    },
  },
  'GET /user/streams': {
    operationId: 'listOwnStreams',
    tags: ['Users'],
    summary: 'The streams of the organizations that the caller is a member of',
    description: 'Active or not. Here an operator finds the UUID for the webhook.',
    security: USER,
    responses: {
      '200': success('The streams.', listOf(ref('MemberStream')), { example: { value: [MEMBER_STREAM] } }),
      ...EVERYWHERE,
      ...shared('Unauthorized', 'TooManyRequests'),
    },
  },
};
