import Joi from 'joi';
import { type StreamId, parseStreamUuid } from '../../domain/ids.js';
import { isChange } from '../../domain/now-playing.js';
import type { VoteDirection, VoteTransition } from '../../domain/vote.js';
import type { Authentication } from './authentication.js';
import type { HttpDependencies } from './dependencies.js';
import type { Endpoints } from './endpoints.js';
import { sendError } from './error-responses.js';
import { reportIn } from './now-playing-payload.js';
import { sendPublicJson } from './public-json.js';
import { WEBHOOK_BODY_LIMIT, jsonBody } from './request-body.js';
import { historyJson, streamJson } from './stream-json.js';
import type { Throttling } from './throttling.js';
import { BadRequest, pathId, pathText, valid } from './valid.js';

const voteBody = Joi.object<{ voteType: VoteDirection }>({
  voteType: Joi.valid('up', 'down').required(),
});
const VOTE_MESSAGES = {
  saved: 'Vote saved',
  updated: 'Vote updated',
  removed: 'Vote removed',
} as const satisfies Record<VoteTransition['outcome'], string>;

export function streamRoutes(
  endpoints: Endpoints,
  { castVote, viewVotes, updateNowPlaying, directory, clock, log }: HttpDependencies,
  authentication: Authentication,
  throttling: Throttling,
): void {
  endpoints.post('/stream/update/:streamUUID', async (request, response) => {
    const sender = await authentication.sender(request);
    if (!sender.ok) {
      if (await throttling.admitsAddress(request, response)) sendError(response, sender.error);
      return;
    }
    const { token, organization } = sender.value;
    const uuid = parseStreamUuid(pathText(request, 'streamUUID'));
    if (!(await throttling.admitsSender(response, token, uuid))) return;
    if (uuid === null) throw new BadRequest('streamUUID must be a UUID.');
    const report = reportIn(await jsonBody(request, response, WEBHOOK_BODY_LIMIT));
    const requestId = response.get('X-Request-Id');
    const updated = await updateNowPlaying.execute(organization, uuid, report);
    if (!updated.ok) {
      log.info(
        { requestId, organization, streamUUID: uuid, refused: updated.error.kind },
        'now playing refused',
      );
      return sendError(response, updated.error);
    }
    const { stream, outcome } = updated.value;
    log.info({ requestId, organization, stream, outcome }, 'now playing reported');
    response.json({ message: isChange(outcome) ? 'Stream updated' : 'Stream unchanged' });
  });

  // The stream list and the history are exempt from all limits.
  endpoints.get('/stream', async (request, response) => {
    const streams = await directory.streams();
    const now = clock.now();
    await sendPublicJson(
      request,
      response,
      streams.map((stream) => streamJson(stream, now)),
    );
  });

  endpoints.get('/stream/:id/history', async (request, response) => {
    const history = await directory.history(pathId<StreamId>(request));
    if (history === null) return sendError(response, { kind: 'not-found' });
    await sendPublicJson(request, response, historyJson(history, clock.now()));
  });

  endpoints.get('/stream/:id/votes', throttling.perAddress, async (request, response) => {
    const stream = pathId<StreamId>(request);
    const session = authentication.session(request);
    const votes = await viewVotes.execute(stream, session.ok ? session.value : null);
    if (!votes.ok) return sendError(response, votes.error);
    const { upvotes, downvotes, score, vote } = votes.value;
    const view = { upvotes, downvotes, score, userVote: vote === 'none' ? null : vote };
    if (request.get('Authorization') === undefined)
      return sendPublicJson(request, response, view, ['Authorization']);
    response.vary('Authorization').json(view);
  });

  endpoints.post('/stream/:id/vote', throttling.perAddress, async (request, response) => {
    const session = authentication.session(request);
    if (!session.ok) return sendError(response, session.error);
    const stream = pathId<StreamId>(request);
    const { voteType } = valid(voteBody, await jsonBody(request, response));
    const cast = await castVote.execute(session.value, stream, voteType);
    if (!cast.ok) return sendError(response, cast.error);
    response.json({ message: VOTE_MESSAGES[cast.value] });
  });
}
