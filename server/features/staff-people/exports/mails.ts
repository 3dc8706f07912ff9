import { exportFileHours } from '#contract/staff/people-values.ts';
import { type MailBranding, composeMail } from '#server/domain/mail/mail-branding.ts';
import type { Message } from '#server/platform/mail/mail.ts';

/** Contains no data of the export. */
export function composeExportMail(branding: MailBranding, to: string, isReady: boolean): Message {
  return composeMail(branding, to, {
    subject: isReady ? 'Your export is ready' : 'Your export could not be created',
    paragraphs: [
      isReady
        ? `The list of people that you requested in the staff console is ready. You can download it for ${exportFileHours} hours.`
        : 'The list of people that you requested in the staff console could not be created. The console shows the reason.',
    ],
    action: { label: 'Open the exports', url: `${branding.publicUrl}/staff/people/exports` },
    footer:
      'You received this email because your account requested an export. If you did not, change your password and tell an owner.',
  });
}
