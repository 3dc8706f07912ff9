import { sql } from 'kysely';
import { type Campus, findCampus, hasDomain } from '#server/domain/campus-arrival.ts';
import type { Context } from '#server/domain/context.ts';
import { formatDay } from '#server/domain/format-day.ts';
import { type MailBranding, composeMail } from '#server/domain/mail/mail-branding.ts';
import type { Message } from '#server/platform/mail/mail.ts';
import { sendNoticesJob } from '../jobs.ts';

/** Returns the last day of a graduate’s address, as `YYYY-MM-DD`. Null: it does not end. @param email canonical */
export function toAddressEnd(
  campus: Pick<Campus, 'domains' | 'accountEndMonths'> | null,
  email: string,
  yearGraduated: number | null,
): string | null {
  const hasGraduated = yearGraduated !== null && yearGraduated <= new Date().getUTCFullYear();
  if (campus?.accountEndMonths === undefined || !hasGraduated || !hasDomain(email, campus.domains)) return null;
  return toClassEnd(yearGraduated, campus.accountEndMonths);
}

/**
 * Returns the last day of the addresses of a class, as `YYYY-MM-DD`. Day 0 of a month is the last day of the month
 * before.
 */
const toClassEnd = (yearGraduated: number, accountEndMonths: number): string =>
  new Date(Date.UTC(yearGraduated, 12 + accountEndMonths, 0)).toISOString().slice(0, 'YYYY-MM-DD'.length);

/** Requests notice mails 90 and 30 days before the university closes an address, each once, with a notification. */
export async function requestAddressEndNotices(context: Context): Promise<void> {
  const campus = findCampus(context);
  if (campus?.accountEndMonths === undefined) return;
  const { domains, accountEndMonths } = campus;
  const thisYear = new Date().getUTCFullYear();
  const years = Array.from({ length: Math.ceil(accountEndMonths / 12) + 1 }, (_, ago) => thisYear - ago);
  const classes = years.map((year) => ({ year, day: toClassEnd(year, accountEndMonths) }));
  await context.db.transaction().execute(async (tx) => {
    const { numAffectedRows = 0n } = await sql`
      with due as (
        select a.id, c.day::text, case when c.day <= current_date + 30 then 'campus-last' else 'campus-first' end as kind
        from accounts a join profiles p on p.account_id = a.id
          join jsonb_to_recordset(${JSON.stringify(classes)}) as c (year int, day date) on c.year = p.year_graduated
        where split_part(a.email, '@', 2) = any(${domains}::text[]) and a.email_verified and a.is_active
          and c.day between current_date and current_date + 90
      ), added as (
        insert into notice_mails (account_id, kind) select id, kind from due on conflict do nothing returning account_id
      )
      insert into notifications (account_id, kind, detail)
      select account_id, 'campus-ending', day from added join due on due.id = account_id`.execute(tx);
    if (numAffectedRows > 0n) await sendNoticesJob.queue(tx, {}, { key: 'next', delaySeconds: 0 });
  });
}

export const composeAddressEnd = (branding: MailBranding, to: string, ends: string): Message =>
  composeMail(branding, to, {
    subject: 'Change your email address',
    preview: `The university will close this address on ${formatDay(new Date(ends))}.`,
    paragraphs: [
      `The university will close the address ${to} on ${formatDay(new Date(ends))}. Your account in the alumni archive of ${branding.institution} uses it.`,
      'Change it to a private address, so that you can still choose a new password and get messages. Your account and your profile stay.',
    ],
    action: { label: 'Change my address', url: `${branding.publicUrl}/settings?section=security` },
    footer: 'You received this email because you have an account in the alumni archive.',
  });
