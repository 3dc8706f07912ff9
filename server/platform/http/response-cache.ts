/** Answers that everybody gets alike, kept for a moment: the second one who asks costs no query. */
export interface SharedAnswers {
  /**
   * The answer under this key, made anew where none is known. What `make` reads is never older than what was known when
   * the answers were forgotten the last time.
   */
  share(key: string, make: () => Promise<string>): Promise<string>;
  /**
   * Drops all answers, after a committed write of this process to what they show. Only such writes may call it: a request that is
   * refused, or that changes something else, must not make others wait for the database.
   */
  forget(): void;
}

/** Milliseconds for which an answer may be what it was: so late, at most, is what another process has written. */
const lifetime = 1_000;

/** Answers that are kept; more than that only somebody asks for who looks for trouble. */
const most = 1_000;

export function createSharedAnswers(now: () => number = () => performance.now()): SharedAnswers {
  const known = new Map<string, { readonly until: number; readonly answer: Promise<string> }>();
  return {
    share: (key, make) => {
      const before = known.get(key);
      if (before && before.until > now()) return before.answer;
      const entry = { until: now() + lifetime, answer: make() };
      // At the end again: the oldest one goes first.
      known.delete(key);
      known.set(key, entry);
      const [oldest] = known.keys();
      if (known.size > most && oldest !== undefined) known.delete(oldest);
      // A failure is no answer: the next one who asks tries again.
      entry.answer.catch(() => {
        if (known.get(key) === entry) known.delete(key);
      });
      return entry.answer;
    },
    forget: () => known.clear(),
  };
}
