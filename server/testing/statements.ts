import pg from 'pg';
import { vi } from 'vitest';

export function recordStatements(): () => string[] {
  const spy = vi.spyOn(pg.Client.prototype, 'query');
  return () => {
    const texts = spy.mock.calls.map(([query]) =>
      typeof query === 'string' ? query : (query as unknown as { text: string }).text,
    );
    spy.mockRestore();
    return texts;
  };
}

/** Returns the statements between begin and commit of the first transaction that `work` runs. */
export async function recordTransaction(work: () => Promise<unknown>): Promise<string[]> {
  const statements = recordStatements();
  await work();
  const texts = statements();
  return texts.slice(texts.indexOf('begin') + 1, texts.indexOf('commit'));
}
