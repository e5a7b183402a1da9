const SIGNALS = ['SIGTERM', 'SIGINT'] as const;
export type StopSignal = (typeof SIGNALS)[number];

/** npm and npx pass on what the terminal has sent to all: the same signal again within so many milliseconds is that one. */
const ECHO = 1_000;

/**
 * Calls the listener with the first signal that tells the process to stop; a second one ends the process at once with 1.
 * @returns takes the listener off again, so that signals do what they do without one
 */
export function onFirstSignal(listener: (signal: StopSignal) => void): () => void {
  let first: { readonly signal: StopSignal; readonly at: number } | null = null;
  const heard = (signal: StopSignal) => {
    if (first?.signal === signal && performance.now() - first.at < ECHO) return;
    if (first) process.exit(1);
    first = { signal, at: performance.now() };
    listener(signal);
  };
  for (const signal of SIGNALS) process.on(signal, heard);
  return () => {
    for (const signal of SIGNALS) process.off(signal, heard);
  };
}
