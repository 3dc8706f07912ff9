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
