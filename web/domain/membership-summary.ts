import type { OwnStatus } from '#contract/membership.ts';

export interface MembershipSummary {
  readonly text: string;
  readonly linkText: string;
  /** Not shown on phones. */
  readonly linkEnd?: string;
}

const confirm = { linkText: 'Confirm', linkEnd: ' that you studied here' };

export function summarizeMembership({ status, isWaiting, confirmBy }: OwnStatus): MembershipSummary {
  if (isWaiting) return { text: 'Your request is with the alumni office.', linkText: 'See what happens next' };
  if (status === 'disputed')
    return { text: 'Another person says that they are you.', linkText: 'See what happens next' };
  if (status === 'rejected') return { text: 'The alumni office could not confirm you.', linkText: 'Try again' };
  if (confirmBy === null) return { text: 'Not confirmed yet: you see what guests see.', ...confirm };
  const lastDay = new Date(confirmBy).toLocaleDateString('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });
  return { text: `You are a member until ${lastDay}.`, ...confirm };
}
