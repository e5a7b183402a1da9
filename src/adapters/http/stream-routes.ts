import Joi from 'joi';
import type { StreamId } from '../../domain/ids.js';
import type { VoteDirection, VoteTransition } from '../../domain/vote.js';
import type { Authentication } from './authentication.js';
import type { HttpDependencies } from './dependencies.js';
import type { Endpoints } from './endpoints.js';
import { sendError } from './error-responses.js';
import { sendPublicJson } from './public-json.js';
import { jsonBody } from './request-body.js';
import type { SecurityLog } from './security-log.js';
import { StreamListJson, historyJson } from './stream-json.js';
import type { Throttling } from './throttling.js';
import { pathId, valid } from './valid.js';

export const voteBody = Joi.object<{ voteType: VoteDirection }>({
  voteType: Joi.valid('up', 'down').required().description('The same again takes the vote back.'),
});
export const VOTE_MESSAGES = {
  saved: 'Vote saved',
  updated: 'Vote updated',
  removed: 'Vote removed',
} as const satisfies Record<VoteTransition['outcome'], string>;

export function streamRoutes(
  endpoints: Endpoints,
  { castVote, viewVotes, directory, clock }: HttpDependencies,
  authentication: Authentication,
  throttling: Throttling,
  security: SecurityLog,
): void {
  const streamList = new StreamListJson();
  // The stream list and the history are exempt from all limits.
  endpoints.get('/stream', async (request, response) => {
    // Long lists are compressed more slowly than they change: those who come meanwhile share the next one.
    await streamList.settled();
    const streams = await directory.streams();
    await streamList.of(streams, clock.now()).send(request, response);
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
    if (!cast.ok) {
      if (cast.error.kind === 'session-ended') security.sessionEnded(request, session.value);
      return sendError(response, cast.error);
    }
    response.json({ message: VOTE_MESSAGES[cast.value] });
  });
}
