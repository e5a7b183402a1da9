import { STATUS_CODES } from 'node:http';
import type { Request } from 'express';
import { type StreamUuid, parseStreamUuid } from '../../domain/ids.js';
import { REPORT_OUTCOMES, type ReportOutcome, isChange } from '../../domain/now-playing.js';
import type { Authentication } from './authentication.js';
import { clientAddress } from './caller.js';
import type { HttpDependencies } from './dependencies.js';
import type { Endpoints } from './endpoints.js';
import { sendError, statusOf } from './error-responses.js';
import { PAYLOAD_FORMS, reportIn } from './now-playing-payload.js';
import { type JsonObject, webhookFields } from './request-body.js';
import type { SecurityLog } from './security-log.js';
import type { Throttling } from './throttling.js';
import { BadRequest, pathText } from './valid.js';

/** Why a report changed nothing. */
const IGNORED: Partial<Record<ReportOutcome, string>> = {
  empty: 'None of its fields says anything about a song.',
  repeat: 'It says what is known already.',
  stale: 'Its song began before the one on air, or is over already.',
};
const REFUSED = {
  'token-missing': 'The API token is missing.',
  'token-invalid': 'The API token is invalid.',
  'too-many-requests': 'Too many reports for one stream.',
  'unknown-stream-uuid': 'No stream has this UUID.',
  'stream-of-another-organization': 'The stream belongs to another organization than the token.',
} as const;
/** What is thrown, by the status that it leads to. */
const FAILURES: Readonly<Record<number, string>> = {
  400: 'bad-request',
  413: 'too-large',
  415: 'unsupported-media-type',
  503: 'unavailable',
};
const FAILED = 'failed';

/**
 * Automation systems push what they play. Most of them neither show nor repeat a refused report, so the log says, for
 * every report, what became of it and why; never with its credentials.
 */
export function webhookRoute(
  endpoints: Endpoints,
  { updateNowPlaying, log, metrics }: HttpDependencies,
  authentication: Authentication,
  throttling: Throttling,
  security: SecurityLog,
): void {
  for (const form of PAYLOAD_FORMS)
    for (const outcome of REPORT_OUTCOMES) metrics?.reportTaken(form, outcome, 0);
  for (const reason of [...Object.keys(REFUSED), ...Object.values(FAILURES), FAILED])
    metrics?.reportRefused(reason, 0);

  endpoints.post('/stream/update/:streamUUID', async (request, response) => {
    const requestId = response.get('X-Request-Id');
    const sender = await authentication.sender(request);
    const organization = sender.ok ? sender.value.organization : null;
    const refused = (kind: string, reason: string) => {
      metrics?.reportRefused(kind);
      const facts = { requestId, organization, streamUUID: streamUuid(request), reason };
      log.info({ ...facts, address: clientAddress(request) }, 'now playing refused');
    };
    const refusedAs = (kind: keyof typeof REFUSED) => refused(kind, REFUSED[kind]);
    if (!sender.ok) {
      refusedAs(`token-${sender.error.credentials}`);
      if (await throttling.admitsAddress(request, response)) sendError(response, sender.error);
      return;
    }
    const uuid = streamUuid(request);
    if (!(await throttling.admitsSender(response, sender.value.token, uuid)))
      return refusedAs('too-many-requests');
    try {
      if (uuid === null) throw new BadRequest('streamUUID must be a UUID.');
      const fields = await webhookFields(request, response);
      const { form, report } = reportIn(fields);
      const updated = await updateNowPlaying.execute(sender.value.organization, uuid, report);
      if (!updated.ok) {
        refusedAs(updated.error.kind);
        if (updated.error.kind === 'stream-of-another-organization')
          security.record(request, 'access-denied', sender.value, updated.error.kind);
        // All streams that the token has not count as one, or made-up UUIDs would never meet a limit.
        if (await throttling.admitsSender(response, sender.value.token, null))
          sendError(response, updated.error);
        return;
      }
      const { stream, outcome } = updated.value;
      const why = {
        ...(isChange(outcome) ? {} : { reason: IGNORED[outcome] }),
        ...(outcome === 'empty' ? { fields: harmlessNames(fields) } : {}),
      };
      metrics?.reportTaken(form, outcome);
      log.info({ requestId, organization, stream, form, outcome, ...why }, 'now playing reported');
      response.json({ message: isChange(outcome) ? 'Stream updated' : 'Stream unchanged' });
    } catch (error) {
      const status = statusOf(error);
      refused(FAILURES[status] ?? FAILED, reasonOf(error, status));
      throw error;
    }
  });
}

function streamUuid(request: Request): StreamUuid | null {
  return parseStreamUuid(pathText(request, 'streamUUID'));
}

function reasonOf(error: unknown, status: number): string {
  if (error instanceof BadRequest) return error.message;
  return `${STATUS_CODES[status] ?? 'It failed'}.`;
}

/** Names of fields as somebody may have thought them up; not what may have been put there by mistake, like a token. */
function harmlessNames(fields: JsonObject): readonly string[] {
  return Object.keys(fields)
    .filter((name) => /^[A-Za-z][A-Za-z_-]{0,31}$/.test(name))
    .slice(0, 20);
}
