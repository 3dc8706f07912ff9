import { oklchToHex } from '../platform/mail/oklch.ts';
import type { Context } from './context.ts';

/** The branding of mails: site, institution and colour. */
export interface MailBranding {
  readonly publicUrl: string;
  /** Name of the institution. */
  readonly institution: string;
  /** Colour of buttons, as `#rrggbb`. */
  readonly accent: string;
}

/** Creates the branding from the configuration and the institution. */
export const createMailBranding = ({ config, institution }: Pick<Context, 'config' | 'institution'>): MailBranding => ({
  publicUrl: config.http.publicUrl,
  institution: institution.name,
  // The colour of the buttons in web/styles/main.css.
  accent: oklchToHex(0.42, institution.brand.chroma, institution.brand.hue),
});

/** Returns the sender for `composeMail`. */
export const toMailSender = ({ institution, accent }: MailBranding) => ({
  sender: `Alumni archive, ${institution}`,
  accent,
});
