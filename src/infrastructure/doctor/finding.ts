/** What one check found. A problem keeps the service from working as it should; a warning may be meant. */
export interface Finding {
  readonly check: string;
  readonly state: 'ok' | 'warning' | 'problem';
  /** A sentence. Never holds a secret. */
  readonly message: string;
  /** What to do about it, a sentence; null: nothing. */
  readonly advice: string | null;
}

export function fine(check: string, message: string): Finding {
  return { check, state: 'ok', message, advice: null };
}

export function warning(check: string, message: string, advice: string): Finding {
  return { check, state: 'warning', message, advice };
}

export function problem(check: string, message: string, advice: string): Finding {
  return { check, state: 'problem', message, advice };
}

/** The reason in an error as part of a sentence, on one line. */
export function reasonOf(error: unknown): string {
  const reason = error instanceof Error ? error.message || error.name : String(error);
  return reason.replace(/\s+/g, ' ').replace(/\.$/, '');
}
