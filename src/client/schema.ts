// Made from the OpenAPI document by `npm run generate:client`.

export interface paths {
  '/': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** That the API is reachable, and its version */
    get: operations['getHealth'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/stats': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** How large the directory is */
    get: operations['getStatistics'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/stream': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * All active streams, by ascending id
     * @description Exempt from the rate limits: ask as often as you like, with `If-None-Match`.
     */
    get: operations['listStreams'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/stream/{id}/history': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * The current song, the next, and the last three played
     * @description Exempt from the rate limits.
     */
    get: operations['getSongHistory'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/stream/{id}/votes': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * The votes for a stream, and the vote of the caller
     * @description A JWT that is not valid (any more) counts as none.
     */
    get: operations['getVotes'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/stream/{id}/vote': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Vote up or down, or take the vote back
     * @description The same vote again removes it; the other one replaces it. A client that lost the answer should read the votes, not send again.
     */
    post: operations['vote'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/stream/update/{streamUUID}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Webhook: say what a stream plays
     * @description For automation systems. Reports may repeat and may come late; a field that cannot be read loses no other. Limits are counted per API token and stream.
     */
    post: operations['reportNowPlaying'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/user': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Register; a confirmation mail is sent
     * @description At most 5 a minute.
     */
    post: operations['register'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/user/activate/{token}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Activate the account by the token of the confirmation mail */
    post: operations['activate'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/user/verify/{token}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post?: never;
    /**
     * Delete an account that awaits activation: "that was not me"
     * @description At most 5 a minute.
     */
    delete: operations['disown'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/user/login': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Log in
     * @description At most 10 a minute, and 50 failures for one email address an hour.
     */
    post: operations['logIn'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/user/requestPasswordChange': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Ask for a mail with a token that sets a new password
     * @description At most 5 a minute. The answer is the same for an address that nobody has.
     */
    post: operations['requestPasswordReset'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/user/resetPassword/{token}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    /**
     * Set a new password by the token of the mail
     * @description Ends every login. A refused password does not use the token up.
     */
    put: operations['resetPassword'];
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/user/streams': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * The streams of the organizations that the caller is a member of
     * @description Active or not. Here an operator finds the UUID for the webhook.
     */
    get: operations['listOwnStreams'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/organization': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** All active public organizations with their links and streams, by ascending id */
    get: operations['listOrganizations'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/organization/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** One organization with its links */
    get: operations['getOrganization'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/organization/name/{name}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** One organization by its whole name, whatever its letter case */
    get: operations['findOrganization'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/organization/limit/{limit}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Some organizations, drawn at random without repeats */
    get: operations['drawOrganizations'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/organization/{id}/streams': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** The active streams of one organization, by ascending id */
    get: operations['listStreamsOfOrganization'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/organization/{id}/token/streams/details': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** The streams of the organization that the API token belongs to, with their webhook UUIDs */
    get: operations['listStreamsOfToken'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
}
export type webhooks = Record<string, never>;
export interface components {
  schemas: {
    /** @description The one shape of every refusal. */
    Error: {
      /** @description The status, once more. */
      statusCode: number;
      /** @description One sentence for a developer. */
      message: string;
    };
    Message: {
      message: string;
    };
    VoteMessage: {
      /** @enum {string} */
      message: 'Vote saved' | 'Vote updated' | 'Vote removed';
    };
    ReportMessage: {
      /** @enum {string} */
      message: 'Stream updated' | 'Stream unchanged';
    };
    Health: {
      message: string;
      version: string;
    };
    AccessToken: {
      /** @description A JWT, to be sent as `Authorization: Bearer`. */
      access_token: string;
    };
    Statistics: {
      /** @description Activated users. */
      users: number;
      /** @description Active public organizations. */
      organizations: number;
      /** @description Active streams. */
      stations: number;
    };
    /** @description What is on air. Title and artist are empty when nothing is, or nobody says. */
    Song: {
      title: string;
      artist: string;
      /**
       * Format: uri
       * @description Cover art; null when there is none.
       */
      cover: string | null;
      /** @description Seconds; 0 when it is not known. */
      songDuration: number;
      /** @description Unix time in seconds; 0 when nothing is on air. */
      songStartedAt: number;
      /** @description null when no next track is known. */
      next: {
        title: string;
        artist: string;
        /**
         * Format: uri
         * @description Cover art; null when there is none.
         */
        cover: string | null;
      } | null;
    };
    Stream: {
      id: number;
      name: string;
      /**
       * Format: uri
       * @description Where the audio is.
       */
      url: string;
      tags: string[];
      organization: {
        id: number;
        name: string;
        /** Format: uri */
        image: string;
      };
      song: components['schemas']['Song'];
      /** @description The best voted stream of the previous month. */
      isStreamOfTheMonth: boolean;
      /** @description The best voted among the streams added in the previous month. */
      isNewcomerOfTheMonth: boolean;
      /** @description One of the ten with the most up votes in seven days. */
      isRecentPopularStream: boolean;
      /** @description One of the ten with the highest score of all time. */
      isTopVotedStream: boolean;
    };
    MemberStream: {
      id: number;
      name: string;
      /**
       * Format: uri
       * @description Where the audio is.
       */
      url: string;
      tags: string[];
      organization: {
        id: number;
        name: string;
        /** Format: uri */
        image: string;
      };
      song: components['schemas']['Song'];
      /** @description The best voted stream of the previous month. */
      isStreamOfTheMonth: boolean;
      /** @description The best voted among the streams added in the previous month. */
      isNewcomerOfTheMonth: boolean;
      /** @description One of the ten with the most up votes in seven days. */
      isRecentPopularStream: boolean;
      /** @description One of the ten with the highest score of all time. */
      isTopVotedStream: boolean;
      /**
       * Format: uuid
       * @description Addresses the stream in the webhook.
       */
      uuid: string;
      /** @description Whether the listings show it. */
      isActive: boolean;
    };
    StreamReference: {
      id: number;
      name: string;
      /**
       * Format: uri
       * @description Where the audio is.
       */
      url: string;
    };
    StreamCredentials: {
      id: number;
      name: string;
      /**
       * Format: uri
       * @description Where the audio is.
       */
      url: string;
      /**
       * Format: uuid
       * @description Addresses the stream in the webhook.
       */
      streamUUID: string;
    };
    SongHistory: {
      /** @description Of id 00000000-0000-0000-0000-000000000000 when nothing is on air. */
      current: {
        /** Format: uuid */
        id: string;
        title: string;
        artist: string;
        /** Format: uri */
        cover: string;
      };
      /** @description null when no next track is known. */
      next: {
        title: string;
        artist: string;
        /**
         * Format: uri
         * @description Cover art; null when there is none.
         */
        cover: string | null;
      } | null;
      /** @description The last played songs, newest first. */
      history: {
        id: number;
        title: string;
        artist: string;
        /**
         * Format: uri
         * @description Without art of its own: the image of the organization.
         */
        cover: string;
        /** Format: date-time */
        playedAt: string;
      }[];
    };
    Votes: {
      upvotes: number;
      downvotes: number;
      /** @description Up votes minus down votes. */
      score: number;
      /**
       * @description The vote of the caller.
       * @enum {string|null}
       */
      userVote: 'up' | 'down' | null;
    };
    Organization: {
      id: number;
      name: string;
      description: string;
      /**
       * Format: uri
       * @description The logo. A drawn one (`data:`) for those who gave none.
       */
      image: string;
      /** Format: uri */
      thumbnail: string;
      links: {
        /** @enum {string} */
        type:
          | 'website'
          | 'discord'
          | 'twitter'
          | 'instagram'
          | 'facebook'
          | 'youtube'
          | 'tiktok'
          | 'twitch'
          | 'mastodon'
          | 'bluesky'
          | 'telegram'
          | 'whatsapp'
          | 'email'
          | 'other';
        /**
         * Format: uri
         * @description `mailto:` for the type `email`.
         */
        url: string;
      }[];
    };
    OrganizationSummary: {
      id: number;
      name: string;
      description: string;
      /**
       * Format: uri
       * @description The logo. A drawn one (`data:`) for those who gave none.
       */
      image: string;
      /** Format: uri */
      thumbnail: string;
    };
    ListedOrganization: {
      id: number;
      name: string;
      description: string;
      /**
       * Format: uri
       * @description The logo. A drawn one (`data:`) for those who gave none.
       */
      image: string;
      /** Format: uri */
      thumbnail: string;
      links: {
        /** @enum {string} */
        type:
          | 'website'
          | 'discord'
          | 'twitter'
          | 'instagram'
          | 'facebook'
          | 'youtube'
          | 'tiktok'
          | 'twitch'
          | 'mastodon'
          | 'bluesky'
          | 'telegram'
          | 'whatsapp'
          | 'email'
          | 'other';
        /**
         * Format: uri
         * @description `mailto:` for the type `email`.
         */
        url: string;
      }[];
      streams: components['schemas']['StreamReference'][];
    };
    /** @description What is on air. Every field is optional. */
    NowPlayingReport: {
      /** @description Title of the current song. */
      title?: string | null;
      /** @description Its artist. */
      artist?: string | null;
      /** @description URL of its cover art. */
      art?: string | null;
      /** @description Title of the next song. */
      nextTitle?: string | null;
      /** @description Its artist. */
      nextArtist?: string | null;
      /** @description URL of its cover art. */
      nextArt?: string | null;
      /** @description Seconds, as a number or as its text. 0: unknown. */
      songDuration?: number | string | null;
      /** @description When the current song began: Unix time in seconds, or ISO 8601 text. 0: unknown. */
      songStartedAt?: number | string | null;
    };
    /** @description What the generic web hook of AzuraCast sends, of any version. More fields than these are there. */
    AzuraCastNowPlaying: {
      now_playing: {
        /** @description Tells plays apart. */
        sh_id?: number;
        /** @description Unix time in seconds. */
        played_at?: number;
        /** @description Seconds. */
        duration?: number;
        song?: {
          title?: string;
          artist?: string;
          /** @description Read where there is no title. */
          text?: string;
          art?: string | null;
        };
      } | null;
      playing_next?: {
        song?: Record<string, never>;
      } | null;
      song_history?: {
        /** @description Tells plays apart. */
        sh_id?: number;
        /** @description Unix time in seconds. */
        played_at?: number;
        /** @description Seconds. */
        duration?: number;
        song?: {
          title?: string;
          artist?: string;
          /** @description Read where there is no title. */
          text?: string;
          art?: string | null;
        };
      }[];
      live?: {
        is_live?: boolean;
      };
      /** @description false: nothing is on air. */
      is_online?: boolean;
    };
    /** @description The same fields as a form. */
    NowPlayingForm: {
      /** @description Title of the current song. */
      title?: string;
      /** @description Its artist. */
      artist?: string;
      /** @description URL of its cover art. */
      art?: string;
      /** @description Title of the next song. */
      nextTitle?: string;
      /** @description Its artist. */
      nextArtist?: string;
      /** @description URL of its cover art. */
      nextArt?: string;
      /** @description Seconds, as a number or as its text. 0: unknown. */
      songDuration?: string;
      /** @description When the current song began: Unix time in seconds, or ISO 8601 text. 0: unknown. */
      songStartedAt?: string;
      /** @description `Artist - Title`, read where neither title nor artist is given. */
      song?: string;
      /** @description Read as songDuration where that is not given; milliseconds where there is a songtype. */
      duration?: string;
      /** @description Sent by SAM Broadcaster and SAM Cast. */
      songtype?: string;
    };
  };
  responses: {
    /** @description The request itself cannot be read. */
    BadRequest: {
      headers: {
        'X-Request-Id': components['headers']['RequestId'];
        RateLimit: components['headers']['RateLimit'];
        'RateLimit-Policy': components['headers']['RateLimitPolicy'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Error'];
      };
    };
    /** @description Credentials are missing or not valid (any more). */
    Unauthorized: {
      headers: {
        'X-Request-Id': components['headers']['RequestId'];
        'WWW-Authenticate': components['headers']['Challenge'];
        RateLimit: components['headers']['RateLimit'];
        'RateLimit-Policy': components['headers']['RateLimitPolicy'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Error'];
      };
    };
    /** @description Well-formed, but there is no such thing, or it is not active. */
    NotFound: {
      headers: {
        'X-Request-Id': components['headers']['RequestId'];
        RateLimit: components['headers']['RateLimit'];
        'RateLimit-Policy': components['headers']['RateLimitPolicy'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Error'];
      };
    };
    /** @description The path knows other methods only. */
    MethodNotAllowed: {
      headers: {
        'X-Request-Id': components['headers']['RequestId'];
        Allow: components['headers']['Allow'];
        RateLimit: components['headers']['RateLimit'];
        'RateLimit-Policy': components['headers']['RateLimitPolicy'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Error'];
      };
    };
    /** @description The body is larger than this operation reads. */
    PayloadTooLarge: {
      headers: {
        'X-Request-Id': components['headers']['RequestId'];
        RateLimit: components['headers']['RateLimit'];
        'RateLimit-Policy': components['headers']['RateLimitPolicy'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Error'];
      };
    };
    /** @description The path and its query are too long. */
    UriTooLong: {
      headers: {
        'X-Request-Id': components['headers']['RequestId'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Error'];
      };
    };
    /** @description The body is not of a media type that this operation reads. */
    UnsupportedMediaType: {
      headers: {
        'X-Request-Id': components['headers']['RequestId'];
        RateLimit: components['headers']['RateLimit'];
        'RateLimit-Policy': components['headers']['RateLimitPolicy'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Error'];
      };
    };
    /** @description A window is full. Refused requests do not lengthen the wait. */
    TooManyRequests: {
      headers: {
        'X-Request-Id': components['headers']['RequestId'];
        'Retry-After': components['headers']['RetryAfter'];
        RateLimit: components['headers']['RateLimit'];
        'RateLimit-Policy': components['headers']['RateLimitPolicy'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Error'];
      };
    };
    /** @description The header is too large, or has too many lines. */
    HeadersTooLarge: {
      headers: {
        'X-Request-Id': components['headers']['RequestId'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Error'];
      };
    };
    /** @description A bug. The log has it under the id of the request. */
    InternalServerError: {
      headers: {
        'X-Request-Id': components['headers']['RequestId'];
        RateLimit: components['headers']['RateLimit'];
        'RateLimit-Policy': components['headers']['RateLimitPolicy'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Error'];
      };
    };
    /** @description Overloaded, or without its database. It recovers by itself. */
    ServiceUnavailable: {
      headers: {
        'X-Request-Id': components['headers']['RequestId'];
        'Retry-After': components['headers']['RetryAfter'];
        RateLimit: components['headers']['RateLimit'];
        'RateLimit-Policy': components['headers']['RateLimitPolicy'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Error'];
      };
    };
  };
  parameters: {
    /**
     * @description The `ETag` of an answer that the client has kept.
     * @example "X0xqMOzxkRuFlXYvEVFf2-3hb4S5fWAVXxZVpRSdF6M"
     */
    IfNoneMatch: string;
  };
  requestBodies: never;
  headers: {
    /**
     * @description Names the request in the log. A harmless `X-Request-Id` of the request is taken over.
     * @example 0f6a2f3c-3b0e-4f0e-8f43-0c2f5f4f1b11
     */
    RequestId: string;
    /**
     * @description Send it back as `If-None-Match`: 304 says that nothing has changed.
     * @example "X0xqMOzxkRuFlXYvEVFf2-3hb4S5fWAVXxZVpRSdF6M"
     */
    ETag: string;
    /**
     * @description For each window, how many requests are left (`r`) and after how many seconds one more is admitted (`t`).
     * @example "1s";r=2;t=0, "10s";r=19;t=0, "60s";r=99;t=0
     */
    RateLimit: string;
    /**
     * @description For each window, how many requests (`q`) it admits in how many seconds (`w`).
     * @example "1s";q=3;w=1, "10s";q=20;w=10, "60s";q=100;w=60
     */
    RateLimitPolicy: string;
    /**
     * @description Seconds after which the request may be sent again.
     * @example 1
     */
    RetryAfter: number;
    /**
     * @description With `error="invalid_token"` when credentials were sent that are not valid. (RFC 6750)
     * @example Bearer error="invalid_token"
     */
    Challenge: string;
    /**
     * @description The methods that the path knows.
     * @example GET, HEAD, OPTIONS
     */
    Allow: string;
  };
  pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
  getHealth: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description The `ETag` of an answer that the client has kept.
         * @example "X0xqMOzxkRuFlXYvEVFf2-3hb4S5fWAVXxZVpRSdF6M"
         */
        'If-None-Match'?: components['parameters']['IfNoneMatch'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description It is. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          ETag: components['headers']['ETag'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Health'];
        };
      };
      /** @description Nothing has changed since the answer that `If-None-Match` names. */
      304: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          ETag: components['headers']['ETag'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components['responses']['BadRequest'];
      405: components['responses']['MethodNotAllowed'];
      414: components['responses']['UriTooLong'];
      429: components['responses']['TooManyRequests'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalServerError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  getStatistics: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description The `ETag` of an answer that the client has kept.
         * @example "X0xqMOzxkRuFlXYvEVFf2-3hb4S5fWAVXxZVpRSdF6M"
         */
        'If-None-Match'?: components['parameters']['IfNoneMatch'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The counts. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          ETag: components['headers']['ETag'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Statistics'];
        };
      };
      /** @description Nothing has changed since the answer that `If-None-Match` names. */
      304: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          ETag: components['headers']['ETag'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components['responses']['BadRequest'];
      405: components['responses']['MethodNotAllowed'];
      414: components['responses']['UriTooLong'];
      429: components['responses']['TooManyRequests'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalServerError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  listStreams: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description The `ETag` of an answer that the client has kept.
         * @example "X0xqMOzxkRuFlXYvEVFf2-3hb4S5fWAVXxZVpRSdF6M"
         */
        'If-None-Match'?: components['parameters']['IfNoneMatch'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The streams. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          ETag: components['headers']['ETag'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Stream'][];
        };
      };
      /** @description Nothing has changed since the answer that `If-None-Match` names. */
      304: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          ETag: components['headers']['ETag'];
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components['responses']['BadRequest'];
      405: components['responses']['MethodNotAllowed'];
      414: components['responses']['UriTooLong'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalServerError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  getSongHistory: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description The `ETag` of an answer that the client has kept.
         * @example "X0xqMOzxkRuFlXYvEVFf2-3hb4S5fWAVXxZVpRSdF6M"
         */
        'If-None-Match'?: components['parameters']['IfNoneMatch'];
      };
      path: {
        /**
         * @description The id of an active stream.
         * @example 1
         */
        id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The songs. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          ETag: components['headers']['ETag'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['SongHistory'];
        };
      };
      /** @description Nothing has changed since the answer that `If-None-Match` names. */
      304: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          ETag: components['headers']['ETag'];
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description The id is none. */
      400: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      404: components['responses']['NotFound'];
      405: components['responses']['MethodNotAllowed'];
      414: components['responses']['UriTooLong'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalServerError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  getVotes: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description The `ETag` of an answer that the client has kept.
         * @example "X0xqMOzxkRuFlXYvEVFf2-3hb4S5fWAVXxZVpRSdF6M"
         */
        'If-None-Match'?: components['parameters']['IfNoneMatch'];
      };
      path: {
        /**
         * @description The id of an active stream.
         * @example 1
         */
        id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The votes. Tagged only for callers without `Authorization`. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          /**
           * @description Send it back as `If-None-Match`: 304 says that nothing has changed.
           * @example "X0xqMOzxkRuFlXYvEVFf2-3hb4S5fWAVXxZVpRSdF6M"
           */
          ETag?: string;
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Votes'];
        };
      };
      /** @description Nothing has changed since the answer that `If-None-Match` names. */
      304: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          ETag: components['headers']['ETag'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description The id is none. */
      400: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      404: components['responses']['NotFound'];
      405: components['responses']['MethodNotAllowed'];
      414: components['responses']['UriTooLong'];
      429: components['responses']['TooManyRequests'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalServerError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  vote: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The id of an active stream.
         * @example 1
         */
        id: number;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          /**
           * @description The same again takes the vote back.
           * @enum {string}
           */
          voteType: 'up' | 'down';
        };
      };
    };
    responses: {
      /** @description What became of it. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['VoteMessage'];
        };
      };
      /** @description The id or the body cannot be used. */
      400: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      401: components['responses']['Unauthorized'];
      404: components['responses']['NotFound'];
      405: components['responses']['MethodNotAllowed'];
      413: components['responses']['PayloadTooLarge'];
      414: components['responses']['UriTooLong'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalServerError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  reportNowPlaying: {
    parameters: {
      query?: {
        /**
         * @description Title of the current song. Read only where there is no body.
         * @example So What
         */
        title?: string;
        /**
         * @description Its artist. Read only where there is no body.
         * @example Miles Davis
         */
        artist?: string;
        /**
         * @description URL of its cover art. Read only where there is no body.
         * @example https://covers.example/kind-of-blue.jpg
         */
        art?: string;
        /**
         * @description Title of the next song. Read only where there is no body.
         * @example Waltz for Debby
         */
        nextTitle?: string;
        /**
         * @description Its artist. Read only where there is no body.
         * @example Bill Evans Trio
         */
        nextArtist?: string;
        /**
         * @description URL of its cover art. Read only where there is no body.
         * @example https://covers.example/waltz-for-debby.jpg
         */
        nextArt?: string;
        /**
         * @description Seconds, as a number or as its text. 0: unknown. Read only where there is no body.
         * @example 562
         */
        songDuration?: string;
        /**
         * @description When the current song began: Unix time in seconds, or ISO 8601 text. 0: unknown. Read only where there is no body.
         * @example 1768478283
         */
        songStartedAt?: string;
        /**
         * @description `Artist - Title`, read where neither title nor artist is given. Read only where there is no body.
         * @example Miles Davis - So What
         */
        song?: string;
        /**
         * @description Read as songDuration where that is not given; milliseconds where there is a songtype. Read only where there is no body.
         * @example 562000
         */
        duration?: string;
        /**
         * @description Sent by SAM Broadcaster and SAM Cast. Read only where there is no body.
         * @example S
         */
        songtype?: string;
      };
      header?: never;
      path: {
        /**
         * @description The UUID of the stream, active or not.
         * @example 3f0c54a2-7a0e-4b4c-9d0a-0d6a3b1c2d3e
         */
        streamUUID: string;
      };
      cookie?: never;
    };
    /** @description At most 256 KiB. Without a body the query is read. */
    requestBody?: {
      content: {
        'application/json':
          components['schemas']['NowPlayingReport'] | components['schemas']['AzuraCastNowPlaying'];
        'application/x-www-form-urlencoded': components['schemas']['NowPlayingForm'];
      };
    };
    responses: {
      /** @description The report was read. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ReportMessage'];
        };
      };
      /** @description The UUID is none, or the body is no JSON object. */
      400: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      401: components['responses']['Unauthorized'];
      /** @description The stream belongs to another organization than the token. */
      403: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      404: components['responses']['NotFound'];
      405: components['responses']['MethodNotAllowed'];
      413: components['responses']['PayloadTooLarge'];
      414: components['responses']['UriTooLong'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalServerError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  register: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** @description At most 16 KiB. */
    requestBody: {
      content: {
        'application/json': {
          /** @description Unique whatever its letter case. No control or format characters. */
          username: string;
          /**
           * Format: email
           * @description One mailbox, in ASCII. Its letter case does not count.
           */
          email: string;
          /**
           * Format: password
           * @description At least 8 characters, among them an upper-case letter, a number and a special character; at most 72 bytes of UTF-8.
           */
          password: string;
        };
      };
    };
    responses: {
      /** @description Registered; awaits activation. */
      201: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Message'];
        };
      };
      /** @description The body cannot be used. The message names every field that is wrong. */
      400: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      405: components['responses']['MethodNotAllowed'];
      /** @description Somebody has this name or this address; it is not said which. */
      409: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      413: components['responses']['PayloadTooLarge'];
      414: components['responses']['UriTooLong'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalServerError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  activate: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The token from the mail.
         * @example q0Jv3bYyR1mW8dQe5uZt2xKc7fLh9aSn4oPi6gBrTwE
         */
        token: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Activated. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Message'];
        };
      };
      /** @description Unknown, used, or older than 24 hours. */
      400: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      405: components['responses']['MethodNotAllowed'];
      414: components['responses']['UriTooLong'];
      429: components['responses']['TooManyRequests'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalServerError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  disown: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The token from the mail.
         * @example q0Jv3bYyR1mW8dQe5uZt2xKc7fLh9aSn4oPi6gBrTwE
         */
        token: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Deleted. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Message'];
        };
      };
      /** @description Unknown, used, or older than 24 hours. */
      400: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      405: components['responses']['MethodNotAllowed'];
      414: components['responses']['UriTooLong'];
      429: components['responses']['TooManyRequests'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalServerError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  logIn: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** @description At most 16 KiB. */
    requestBody: {
      content: {
        'application/json': {
          email: string;
          /** Format: password */
          password: string;
          /**
           * @description Valid for 30 days instead of 24 hours.
           * @default false
           */
          thirtyDaysLogin?: boolean;
        };
      };
    };
    responses: {
      /** @description Logged in. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['AccessToken'];
        };
      };
      /** @description The body cannot be used. */
      400: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description Unknown address or wrong password; it is not said which. */
      401: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          'WWW-Authenticate': components['headers']['Challenge'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description The password is right, but the account awaits activation. */
      403: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      405: components['responses']['MethodNotAllowed'];
      413: components['responses']['PayloadTooLarge'];
      414: components['responses']['UriTooLong'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalServerError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  requestPasswordReset: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** @description At most 16 KiB. */
    requestBody: {
      content: {
        'application/json': {
          /**
           * Format: email
           * @description One mailbox, in ASCII. Its letter case does not count.
           */
          email: string;
        };
      };
    };
    responses: {
      /** @description Asked for. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Message'];
        };
      };
      /** @description The body cannot be used. */
      400: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      405: components['responses']['MethodNotAllowed'];
      413: components['responses']['PayloadTooLarge'];
      414: components['responses']['UriTooLong'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalServerError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  resetPassword: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The token from the mail.
         * @example q0Jv3bYyR1mW8dQe5uZt2xKc7fLh9aSn4oPi6gBrTwE
         */
        token: string;
      };
      cookie?: never;
    };
    /** @description At most 16 KiB. */
    requestBody: {
      content: {
        'application/json': {
          /**
           * Format: password
           * @description At least 8 characters, among them an upper-case letter, a number and a special character; at most 72 bytes of UTF-8.
           */
          password: string;
        };
      };
    };
    responses: {
      /** @description Set. */
      201: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Message'];
        };
      };
      /** @description The token is unknown, used or older than an hour, or the body cannot be used. */
      400: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      405: components['responses']['MethodNotAllowed'];
      413: components['responses']['PayloadTooLarge'];
      414: components['responses']['UriTooLong'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalServerError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  listOwnStreams: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The streams. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['MemberStream'][];
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      405: components['responses']['MethodNotAllowed'];
      414: components['responses']['UriTooLong'];
      429: components['responses']['TooManyRequests'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalServerError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  listOrganizations: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description The `ETag` of an answer that the client has kept.
         * @example "X0xqMOzxkRuFlXYvEVFf2-3hb4S5fWAVXxZVpRSdF6M"
         */
        'If-None-Match'?: components['parameters']['IfNoneMatch'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The organizations. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          ETag: components['headers']['ETag'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ListedOrganization'][];
        };
      };
      /** @description Nothing has changed since the answer that `If-None-Match` names. */
      304: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          ETag: components['headers']['ETag'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components['responses']['BadRequest'];
      405: components['responses']['MethodNotAllowed'];
      414: components['responses']['UriTooLong'];
      429: components['responses']['TooManyRequests'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalServerError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  getOrganization: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description The `ETag` of an answer that the client has kept.
         * @example "X0xqMOzxkRuFlXYvEVFf2-3hb4S5fWAVXxZVpRSdF6M"
         */
        'If-None-Match'?: components['parameters']['IfNoneMatch'];
      };
      path: {
        /**
         * @description The id of an active public organization.
         * @example 1
         */
        id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The organization. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          ETag: components['headers']['ETag'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Organization'];
        };
      };
      /** @description Nothing has changed since the answer that `If-None-Match` names. */
      304: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          ETag: components['headers']['ETag'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description The id is none. */
      400: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      404: components['responses']['NotFound'];
      405: components['responses']['MethodNotAllowed'];
      414: components['responses']['UriTooLong'];
      429: components['responses']['TooManyRequests'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalServerError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  findOrganization: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description The `ETag` of an answer that the client has kept.
         * @example "X0xqMOzxkRuFlXYvEVFf2-3hb4S5fWAVXxZVpRSdF6M"
         */
        'If-None-Match'?: components['parameters']['IfNoneMatch'];
      };
      path: {
        /**
         * @description The name, percent-encoded.
         * @example radio nova
         */
        name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The organization. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          ETag: components['headers']['ETag'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Organization'];
        };
      };
      /** @description Nothing has changed since the answer that `If-None-Match` names. */
      304: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          ETag: components['headers']['ETag'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description No organization can have this name. */
      400: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      404: components['responses']['NotFound'];
      405: components['responses']['MethodNotAllowed'];
      414: components['responses']['UriTooLong'];
      429: components['responses']['TooManyRequests'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalServerError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  drawOrganizations: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description The `ETag` of an answer that the client has kept.
         * @example "X0xqMOzxkRuFlXYvEVFf2-3hb4S5fWAVXxZVpRSdF6M"
         */
        'If-None-Match'?: components['parameters']['IfNoneMatch'];
      };
      path: {
        /**
         * @description How many, at most.
         * @example 10
         */
        limit: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The organizations, without links. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          ETag: components['headers']['ETag'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['OrganizationSummary'][];
        };
      };
      /** @description Nothing has changed since the answer that `If-None-Match` names. */
      304: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          ETag: components['headers']['ETag'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description The limit is none. */
      400: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      405: components['responses']['MethodNotAllowed'];
      414: components['responses']['UriTooLong'];
      429: components['responses']['TooManyRequests'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalServerError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  listStreamsOfOrganization: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description The `ETag` of an answer that the client has kept.
         * @example "X0xqMOzxkRuFlXYvEVFf2-3hb4S5fWAVXxZVpRSdF6M"
         */
        'If-None-Match'?: components['parameters']['IfNoneMatch'];
      };
      path: {
        /**
         * @description The id of an active public organization.
         * @example 1
         */
        id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The streams. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          ETag: components['headers']['ETag'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Stream'][];
        };
      };
      /** @description Nothing has changed since the answer that `If-None-Match` names. */
      304: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          ETag: components['headers']['ETag'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description The id is none. */
      400: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      404: components['responses']['NotFound'];
      405: components['responses']['MethodNotAllowed'];
      414: components['responses']['UriTooLong'];
      429: components['responses']['TooManyRequests'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalServerError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  listStreamsOfToken: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The id of the organization.
         * @example 1
         */
        id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The streams, active or not. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['StreamCredentials'][];
        };
      };
      /** @description The id is none. */
      400: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      401: components['responses']['Unauthorized'];
      /** @description The token belongs to another organization. */
      403: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      405: components['responses']['MethodNotAllowed'];
      414: components['responses']['UriTooLong'];
      429: components['responses']['TooManyRequests'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalServerError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
}
