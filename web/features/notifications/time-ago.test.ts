import { expect, test } from 'vitest';
import { timeAgo } from './time-ago.ts';

test('timeAgo returns the largest whole unit, and the date after a week', () => {
  const ago = (elapsedMs: number) => {
    const now = Date.UTC(2026, 10, 22, 12);
    return timeAgo(new Date(now - elapsedMs).toISOString(), now);
  };
  const hourMs = 3_600_000;
  expect(
    [-hourMs, 59_000, 60_000, 59.9 * 60_000, hourMs, 23.9 * hourMs, 24 * hourMs, 191 * hourMs, 192 * hourMs].map(ago),
  ).toEqual([
    'just now',
    'just now',
    '1 minute ago',
    '59 minutes ago',
    '1 hour ago',
    '23 hours ago',
    '1 day ago',
    '7 days ago',
    '14 November 2026',
  ]);
});
