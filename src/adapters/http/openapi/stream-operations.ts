import { voteBody } from '../stream-routes.js';
import { HISTORY, NATIVE_REPORT, REPORT, STREAM, STREAM_UUID } from './examples.js';
import {
  ANYBODY,
  ANYBODY_OR_USER,
  IF_NONE_MATCH,
  ORGANIZATION,
  type Operations,
  type Parameter,
  USER,
  pathParameter,
  streamId,
} from './operation.js';
import { EVERYWHERE, cacheable, refusal, shared, success } from './responses.js';
import { type JsonSchema, bodySchema, listOf, ref, uuid } from './schemas.js';

const BAD_ID = { id: 'id must be an integer from 1 to 2147483647.' };

/** null and "" are "unknown" in every field, and so is what cannot be read: nothing but the whole is ever refused. */
const REPORT_FIELDS = {
  title: { type: ['string', 'null'], description: 'Title of the current song.' },
  artist: { type: ['string', 'null'], description: 'Its artist.' },
  art: { type: ['string', 'null'], description: 'URL of its cover art.' },
  nextTitle: { type: ['string', 'null'], description: 'Title of the next song.' },
  nextArtist: { type: ['string', 'null'], description: 'Its artist.' },
  nextArt: { type: ['string', 'null'], description: 'URL of its cover art.' },
  songDuration: {
    type: ['number', 'string', 'null'],
    description: 'Seconds, as a number or as its text. 0: unknown.',
  },
  songStartedAt: {
    type: ['number', 'string', 'null'],
    description: 'When the current song began: Unix time in seconds, or ISO 8601 text. 0: unknown.',
  },
} as const satisfies Readonly<Record<string, JsonSchema>>;
/** What only forms and queries are known to carry. */
const FORM_FIELDS = {
  song: { type: 'string', description: '`Artist - Title`, read where neither title nor artist is given.' },
  duration: {
    type: 'string',
    description: 'Read as songDuration where that is not given; milliseconds where there is a songtype.',
  },
  songtype: { type: 'string', description: 'Sent by SAM Broadcaster and SAM Cast.' },
} as const satisfies Readonly<Record<string, JsonSchema>>;

const open = (properties: Readonly<Record<string, JsonSchema>>): JsonSchema => ({
  type: 'object',
  properties,
});
const nativePlay = open({
  sh_id: { type: 'integer', description: 'Tells plays apart.' },
  played_at: { type: 'integer', description: 'Unix time in seconds.' },
  duration: { type: 'number', description: 'Seconds.' },
  song: open({
    title: { type: 'string' },
    artist: { type: 'string' },
    text: { type: 'string', description: 'Read where there is no title.' },
    art: { type: ['string', 'null'] },
  }),
});

/** The bodies of the webhook. */
export const REPORT_SCHEMAS = {
  NowPlayingReport: {
    ...open(REPORT_FIELDS),
    description: 'What is on air. Every field is optional.',
  },
  AzuraCastNowPlaying: {
    ...open({
      now_playing: { anyOf: [nativePlay, { type: 'null' }] },
      playing_next: { anyOf: [open({ song: { type: 'object' } }), { type: 'null' }] },
      song_history: listOf(nativePlay),
      live: open({ is_live: { type: 'boolean' } }),
      is_online: { type: 'boolean', description: 'false: nothing is on air.' },
    }),
    required: ['now_playing'],
    description:
      'What the generic web hook of AzuraCast sends, of any version. More fields than these are there.',
  },
  NowPlayingForm: {
    ...open({
      ...Object.fromEntries(
        Object.entries(REPORT_FIELDS).map(([name, { description }]) => [
          name,
          { type: 'string', description },
        ]),
      ),
      ...FORM_FIELDS,
    }),
    description: 'The same fields as a form.',
  },
} as const satisfies Readonly<Record<string, JsonSchema>>;

const QUERY_EXAMPLES: Readonly<Record<string, unknown>> = {
  ...REPORT,
  song: 'Miles Davis - So What',
  duration: 562_000,
  songtype: 'S',
};
const QUERY: readonly Parameter[] = Object.entries({ ...REPORT_FIELDS, ...FORM_FIELDS }).map(
  ([name, { description }]) => ({
    name,
    in: 'query',
    description: `${description} Read only where there is no body.`,
    schema: { type: 'string' },
    example: String(QUERY_EXAMPLES[name]),
  }),
);

export const streamOperations: Operations = {
  'GET /stream': {
    operationId: 'listStreams',
    tags: ['Streams'],
    summary: 'All active streams, by ascending id',
    description: 'Exempt from the rate limits: ask as often as you like, with `If-None-Match`.',
    security: ANYBODY,
    parameters: [IF_NONE_MATCH],
    responses: {
      ...cacheable(
        'The streams.',
        listOf(ref('Stream')),
        { example: { value: [STREAM] } },
        { isLimited: false },
      ),
      ...EVERYWHERE,
    },
  },
  'GET /stream/:id/history': {
    operationId: 'getSongHistory',
    tags: ['Streams'],
    summary: 'The current song, the next, and the last three played',
    description: 'Exempt from the rate limits.',
    security: ANYBODY,
    parameters: [streamId, IF_NONE_MATCH],
    responses: {
      ...cacheable('The songs.', ref('SongHistory'), { example: { value: HISTORY } }, { isLimited: false }),
      ...EVERYWHERE,
      ...shared('NotFound'),
      '400': refusal(400, 'The id is none.', BAD_ID, {}),
    },
  },
  'GET /stream/:id/votes': {
    operationId: 'getVotes',
    tags: ['Streams'],
    summary: 'The votes for a stream, and the vote of the caller',
    description: 'A JWT that is not valid (any more) counts as none.',
    security: ANYBODY_OR_USER,
    parameters: [streamId, IF_NONE_MATCH],
    responses: {
      ...cacheable(
        'The votes. Tagged only for callers without `Authorization`.',
        ref('Votes'),
        { example: { value: { upvotes: 1, downvotes: 0, score: 1, userVote: null } } },
        { isAlwaysTagged: false },
      ),
      ...EVERYWHERE,
      ...shared('NotFound', 'TooManyRequests'),
      '400': refusal(400, 'The id is none.', BAD_ID),
    },
  },
  'POST /stream/:id/vote': {
    operationId: 'vote',
    tags: ['Streams'],
    summary: 'Vote up or down, or take the vote back',
    description:
      'The same vote again removes it; the other one replaces it. A client that lost the answer should read the votes, not send again.',
    security: USER,
    parameters: [streamId],
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: bodySchema(voteBody),
          examples: { up: { value: { voteType: 'up' } }, down: { value: { voteType: 'down' } } },
        },
      },
    },
    responses: {
      '200': success('What became of it.', ref('VoteMessage'), {
        saved: { summary: 'The caller had not voted', value: { message: 'Vote saved' } },
        updated: { summary: 'The caller had voted otherwise', value: { message: 'Vote updated' } },
        removed: { summary: 'The caller had voted the same', value: { message: 'Vote removed' } },
      }),
      ...EVERYWHERE,
      ...shared('Unauthorized', 'NotFound', 'PayloadTooLarge', 'UnsupportedMediaType', 'TooManyRequests'),
      '400': refusal(400, 'The id or the body cannot be used.', {
        ...BAD_ID,
        voteType: 'voteType must be one of up, down.',
        json: 'The body is not valid JSON.',
      }),
    },
  },
  'POST /stream/update/:streamUUID': {
    operationId: 'reportNowPlaying',
    tags: ['Streams'],
    summary: 'Webhook: say what a stream plays',
    description:
      'For automation systems. Reports may repeat and may come late; a field that cannot be read loses no other. Limits are counted per API token and stream.',
    security: ORGANIZATION,
    parameters: [
      pathParameter('streamUUID', uuid, 'The UUID of the stream, active or not.', STREAM_UUID),
      ...QUERY,
    ],
    requestBody: {
      required: false,
      description: 'At most 256 KiB. Without a body the query is read.',
      content: {
        'application/json': {
          schema: {
            anyOf: ['NowPlayingReport', 'AzuraCastNowPlaying'].map((name) => ({
              $ref: `#/components/schemas/${name}`,
            })),
          },
          examples: {
            simple: { summary: 'The simple form', value: REPORT },
            azuraCast: { summary: 'What AzuraCast sends', value: NATIVE_REPORT },
          },
        },
        'application/x-www-form-urlencoded': {
          schema: { $ref: '#/components/schemas/NowPlayingForm' },
          examples: {
            song: {
              summary: 'Title and artist in one',
              value: { song: 'Miles Davis - So What', duration: '562' },
            },
          },
        },
      },
    },
    responses: {
      '200': success('The report was read.', ref('ReportMessage'), {
        updated: { value: { message: 'Stream updated' } },
        unchanged: {
          summary: 'A repeat, a stale report, nothing at all',
          value: { message: 'Stream unchanged' },
        },
      }),
      ...EVERYWHERE,
      ...shared('Unauthorized', 'NotFound', 'PayloadTooLarge', 'UnsupportedMediaType', 'TooManyRequests'),
      '400': refusal(400, 'The UUID is none, or the body is no JSON object.', {
        uuid: 'streamUUID must be a UUID.',
        json: 'The body must be a JSON object.',
      }),
      '403': refusal(403, 'The stream belongs to another organization than the token.'),
    },
  },
};
