import type { Words } from '#contract/words.ts';
import type { MailBrand, MailContent } from '#server/platform/mail/mail-html.ts';
import { type Message, renderMail } from '#server/platform/mail/mail.ts';
import { oklchToHex } from '#contract/oklch.ts';
import type { Context } from '../context.ts';

export interface MailBranding {
  readonly publicUrl: string;
  readonly institution: string;
  readonly brand: MailBrand;
  readonly words?: Words;
}

/** The colours are those of web/styles/theme.css and main.css. */
export function createMailBranding({ config, institution }: Pick<Context, 'config' | 'institution'>): MailBranding {
  const { hue, chroma } = institution.brand;
  const brand = (lightness: number, share: number) => oklchToHex(lightness, chroma * share, hue);
  return {
    publicUrl: config.http.publicUrl,
    institution: institution.name,
    words: institution.words,
    brand: {
      abbreviation: institution.abbreviation,
      light: {
        page: oklchToHex(0.955, 0.014, 85),
        card: oklchToHex(0.998, 0.002, 85),
        ink: oklchToHex(0.24, 0.03, hue),
        softInk: oklchToHex(0.46, 0.025, hue),
        line: oklchToHex(0.9, 0.014, 85),
        bar: brand(0.36, 0.85),
        onBar: '#ffffff',
        accent: brand(0.42, 1),
        onAccent: '#ffffff',
        gold: oklchToHex(0.66, 0.135, 76),
      },
      dark: {
        page: oklchToHex(0.185, 0.012, hue),
        card: oklchToHex(0.22, 0.014, hue),
        ink: oklchToHex(0.94, 0.008, 85),
        softInk: oklchToHex(0.76, 0.012, 85),
        line: oklchToHex(0.32, 0.016, hue),
        bar: brand(0.27, 0.6),
        onBar: '#ffffff',
        accent: brand(0.8, 0.55),
        onAccent: oklchToHex(0.19, 0.03, hue),
        gold: oklchToHex(0.8, 0.125, 84),
      },
    },
  };
}

export const toSenderName = ({ institution }: MailBranding): string => `Alumni archive, ${institution}`;

export const composeMail = (
  branding: MailBranding,
  to: string,
  content: Omit<MailContent, 'to' | 'sender' | 'brand'>,
): Message => renderMail({ ...content, to, sender: toSenderName(branding), brand: branding.brand });

/** Headers of bulk email, with List-Unsubscribe and List-Unsubscribe-Post (RFC 8058). @param unsubscribeUrl null: no one can unsubscribe */
export const toBulkHeaders = (unsubscribeUrl: string | null): Readonly<Record<string, string>> => ({
  ...(unsubscribeUrl !== null && {
    'List-Unsubscribe': `<${unsubscribeUrl}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  }),
  'Auto-Submitted': 'auto-generated',
  'X-Auto-Response-Suppress': 'All',
});
