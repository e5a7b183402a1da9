import type Joi from 'joi';
import { MAX_ID } from '../../../domain/ids.js';
import { LINK_TYPES } from '../../../domain/organization.js';
import { VOTE_MESSAGES } from '../stream-routes.js';

/** JSON Schema 2020-12, which OpenAPI 3.1 takes as it is. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * What joi asks of a body; what it asks in code the fields say once more by `meta`, in JSON Schema's keywords. Fields
 * that are not described are ignored, so they are not forbidden.
 */
export function bodySchema(schema: Joi.ObjectSchema): JsonSchema {
  const { properties, required } = schema['~standard'].jsonSchema.input({ target: 'draft-2020-12' });
  const described = Object.entries(properties as Readonly<Record<string, JsonSchema>>).map(
    ([name, property]) => {
      const { metas = [] } = schema.extract(name).describe() as { metas?: readonly JsonSchema[] };
      return [name, Object.assign({}, property, ...metas) as JsonSchema] as const;
    },
  );
  return { type: 'object', required, properties: Object.fromEntries(described) };
}

export function ref(name: keyof typeof SCHEMAS): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

export function listOf(items: JsonSchema): JsonSchema {
  return { type: 'array', items };
}

/** Answers always carry every field. */
function object(properties: Readonly<Record<string, JsonSchema>>, description?: string): JsonSchema {
  return {
    type: 'object',
    ...(description === undefined ? {} : { description }),
    properties,
    required: Object.keys(properties),
  };
}

const text = (description?: string): JsonSchema =>
  description === undefined ? { type: 'string' } : { type: 'string', description };
const url = (description?: string): JsonSchema => ({ ...text(description), format: 'uri' });
const nullable = ({ type, ...schema }: JsonSchema): JsonSchema => ({ ...schema, type: [type, 'null'] });
const count: JsonSchema = { type: 'integer', minimum: 0 };
const flag = (description: string): JsonSchema => ({ type: 'boolean', description });
const oneOf = (values: readonly string[]): JsonSchema => ({ type: 'string', enum: values });

/** What stands for a row in paths and answers. */
export const id: JsonSchema = { type: 'integer', minimum: 1, maximum: MAX_ID };
export const uuid: JsonSchema = { type: 'string', format: 'uuid' };

const cover = nullable(url('Cover art; null when there is none.'));
const nextSong = {
  ...nullable(object({ title: text(), artist: text(), cover })),
  description: 'null when no next track is known.',
};
const reference = { id, name: text(), url: url('Where the audio is.') };
const stream = {
  ...reference,
  tags: listOf(text()),
  organization: object({ id, name: text(), image: url() }),
  song: { $ref: '#/components/schemas/Song' },
  isStreamOfTheMonth: flag('The best voted stream of the previous month.'),
  isNewcomerOfTheMonth: flag('The best voted among the streams added in the previous month.'),
  isRecentPopularStream: flag('One of the ten with the most up votes in seven days.'),
  isTopVotedStream: flag('One of the ten with the highest score of all time.'),
};
const organization = {
  id,
  name: text(),
  description: text(),
  image: url('The logo. A drawn one (`data:`) for those who gave none.'),
  thumbnail: url(),
};
const links = listOf(object({ type: oneOf(LINK_TYPES), url: url('`mailto:` for the type `email`.') }));

/** Every named schema of the document. */
export const SCHEMAS = {
  Error: object(
    {
      statusCode: { type: 'integer', minimum: 400, maximum: 599, description: 'The status, once more.' },
      message: text('One sentence for a developer.'),
    },
    'The one shape of every refusal.',
  ),
  Message: object({ message: text() }),
  VoteMessage: object({ message: oneOf(Object.values(VOTE_MESSAGES)) }),
  ReportMessage: object({ message: oneOf(['Stream updated', 'Stream unchanged']) }),
  Health: object({ message: text(), version: text() }),
  AccessToken: object({ access_token: text('A JWT, to be sent as `Authorization: Bearer`.') }),
  Statistics: object({
    users: { ...count, description: 'Activated users.' },
    organizations: { ...count, description: 'Active public organizations.' },
    stations: { ...count, description: 'Active streams.' },
  }),
  Song: object(
    {
      title: text(),
      artist: text(),
      cover,
      songDuration: { type: 'number', minimum: 0, description: 'Seconds; 0 when it is not known.' },
      songStartedAt: { ...count, description: 'Unix time in seconds; 0 when nothing is on air.' },
      next: nextSong,
    },
    'What is on air. Title and artist are empty when nothing is, or nobody says.',
  ),
  Stream: object(stream),
  MemberStream: object({
    ...stream,
    uuid: { ...uuid, description: 'Addresses the stream in the webhook.' },
    isActive: flag('Whether the listings show it.'),
  }),
  StreamReference: object(reference),
  StreamCredentials: object({
    ...reference,
    streamUUID: { ...uuid, description: 'Addresses the stream in the webhook.' },
  }),
  SongHistory: object({
    current: object(
      { id: uuid, title: text(), artist: text(), cover: url() },
      'Of id 00000000-0000-0000-0000-000000000000 when nothing is on air.',
    ),
    next: nextSong,
    history: {
      ...listOf(
        object({
          id,
          title: text(),
          artist: text(),
          cover: url('Without art of its own: the image of the organization.'),
          playedAt: {
            type: 'string',
            format: 'date-time',
            pattern: String.raw`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`,
          },
        }),
      ),
      maxItems: 3,
      description: 'The last played songs, newest first.',
    },
  }),
  Votes: object({
    upvotes: count,
    downvotes: count,
    score: { type: 'integer', description: 'Up votes minus down votes.' },
    userVote: {
      type: ['string', 'null'],
      enum: ['up', 'down', null],
      description: 'The vote of the caller.',
    },
  }),
  Organization: object({ ...organization, links }),
  OrganizationSummary: object(organization),
  ListedOrganization: object({
    ...organization,
    links,
    streams: listOf({ $ref: '#/components/schemas/StreamReference' }),
  }),
} as const satisfies Readonly<Record<string, JsonSchema>>;
