import type { AnnouncementPreview } from '#contract/staff/announcements.ts';
import { toPlainText } from '#contract/light-format.ts';
import { type MailBranding, composeMail, toBulkHeaders, toSenderName } from '#server/domain/mail/mail-branding.ts';
import type { Message } from '#server/platform/mail/mail.ts';
import type { RecipientName } from './recipients.ts';

export const unsubscribePath = '/unsubscribe';

const maxPreviewChars = 140;

interface Content {
  readonly subject: string;
  readonly text: string;
  readonly name: RecipientName;
}

const links = {
  unsubscribe: 'Unsubscribe from announcements',
  settings: 'Choose which emails you get',
};

const toParts = ({ institution }: MailBranding, { text, name }: Omit<Content, 'subject'>) => ({
  greeting: `Dear ${name.firstName} ${name.lastName},`,
  paragraphs: text.split(/\n{2,}/u),
  footer: `You received this email because you are a member of the alumni archive of ${institution}.`,
});

export const previewAnnouncement = (
  branding: MailBranding,
  content: Omit<Content, 'subject'>,
): Omit<AnnouncementPreview, 'id'> => ({
  ...toParts(branding, content),
  links: Object.values(links),
  sender: toSenderName(branding),
});

/**
 * Returns the mail to one recipient, with the headers of RFC 8058 for unsubscribing by one click.
 * @param unsubscribeCode the code of this copy of the mail. Null in a test mail, from which no one can unsubscribe
 */
export function composeAnnouncement(
  branding: MailBranding,
  to: string,
  { subject, ...content }: Content,
  unsubscribeCode: string | null,
): Message {
  const { greeting, paragraphs, footer } = toParts(branding, content);
  const unsubscribeUrl = `${branding.publicUrl}${unsubscribePath}?code=${unsubscribeCode}`;
  const mail = composeMail(branding, to, {
    subject,
    preview: toPlainText(paragraphs[0] ?? '').slice(0, maxPreviewChars),
    paragraphs: [greeting, ...paragraphs],
    isTyped: true,
    footer,
    links: [
      ...(unsubscribeCode === null ? [] : [{ label: links.unsubscribe, url: unsubscribeUrl }]),
      { label: links.settings, url: `${branding.publicUrl}/settings?section=privacy` },
    ],
  });
  return { ...mail, headers: toBulkHeaders(unsubscribeCode === null ? null : unsubscribeUrl) };
}
