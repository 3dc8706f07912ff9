import type { OwnStatus } from '#contract/membership.ts';

export interface MembershipSummary {
  readonly text: string;
  readonly linkText: string;
  /** Not shown on phones. */
  readonly linkEnd?: string;
}

const confirm = { linkText: 'Confirm', linkEnd: ' that you studied here' };

export function summarizeMembership({ status, isWaiting, confirmBy }: OwnStatus): MembershipSummary {
  if (isWaiting) return { text: 'Your request is with the alumni office.', linkText: 'Next steps' };
  if (status === 'disputed') return { text: 'Another person says that they are you.', linkText: 'Next steps' };
  if (status === 'rejected') return { text: 'The alumni office could not confirm you.', linkText: 'Try again' };
  if (confirmBy === null) return { text: 'Not confirmed yet: you see what guests see.', ...confirm };
  const lastDay = new Date(confirmBy).toLocaleDateString('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });
  // No line may break within the date.
  return { text: `You are a member until ${lastDay.replaceAll(' ', '\u00a0')}.`, ...confirm };
}
