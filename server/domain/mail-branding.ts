import { oklchToHex } from '../platform/mail/oklch.ts';
import type { Context } from './context.ts';

/** What every mail needs to know of where it comes from. */
export interface MailBranding {
  readonly publicUrl: string;
  /** Name of the institution, and its colour as `#rrggbb`. */
  readonly institution: string;
  readonly accent: string;
}

export const createMailBranding = ({ config, institution }: Pick<Context, 'config' | 'institution'>): MailBranding => ({
  publicUrl: config.http.publicUrl,
  institution: institution.name,
  // The buttons of the pages (`web/styles/main.css`).
  accent: oklchToHex(0.42, institution.brand.chroma, institution.brand.hue),
});

/** Who sends it, as `composeMail` takes it. */
export const toMailSender = ({ institution, accent }: MailBranding) => ({
  sender: `Alumni archive, ${institution}`,
  accent,
});
