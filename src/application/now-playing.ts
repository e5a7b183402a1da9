import type { OrganizationId, OrganizationTokenId, StreamId, StreamUuid } from '../domain/ids.js';
import { type ReportOutcome, applyReport } from '../domain/now-playing.js';
import { type Result, ok } from '../domain/result.js';
import type { SongReport } from '../domain/song-report.js';
import type { Clock } from './ports/clock.js';
import type {
  NowPlayingRepository,
  StreamOfAnotherOrganization,
  UnknownStreamUuid,
} from './ports/now-playing-repository.js';
import type { OrganizationRepository } from './ports/organization-repository.js';
import type { Secrets } from './ports/secrets.js';

/** `rdo_` and 32 random bytes, base64url. */
const ORGANIZATION_TOKEN = /^rdo_[A-Za-z0-9_-]{43}$/;

export function newOrganizationToken(secrets: Secrets): string {
  return `rdo_${secrets.token()}`;
}

/** Who sends with this API token; null for a token that is nobody's. A text that cannot be one asks no storage. */
export class IdentifySender {
  constructor(
    private readonly organizations: OrganizationRepository,
    private readonly secrets: Secrets,
  ) {}

  async execute(token: string): Promise<{ token: OrganizationTokenId; organization: OrganizationId } | null> {
    return ORGANIZATION_TOKEN.test(token) ? this.organizations.tokenOwner(this.secrets.hash(token)) : null;
  }
}

/** The webhook: applies one report of an organization to one of its streams. */
export class UpdateNowPlaying {
  constructor(
    private readonly nowPlaying: NowPlayingRepository,
    private readonly secrets: Secrets,
    private readonly clock: Clock,
  ) {}

  async execute(
    organization: OrganizationId,
    stream: StreamUuid,
    report: SongReport,
  ): Promise<
    Result<{ stream: StreamId; outcome: ReportOutcome }, UnknownStreamUuid | StreamOfAnotherOrganization>
  > {
    const now = this.clock.now();
    const stored = await this.nowPlaying.update(stream, organization, (before) =>
      applyReport(before, report, now, () => this.secrets.uuid()),
    );
    return stored.ok ? ok({ stream: stored.value.stream, outcome: stored.value.applied.outcome }) : stored;
  }
}
