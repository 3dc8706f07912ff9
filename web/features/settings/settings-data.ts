import { type LoaderFunctionArgs, data } from 'react-router';
import type { AcceptedTerms, Device, UndeliverableAddress } from '#contract/identity.ts';
import type { InstitutionFacts } from '#contract/institution.ts';
import type { NotificationChoices } from '#contract/notifications.ts';
import type { Profile } from '#contract/profile.ts';
import type { SecondFactor } from '#contract/second-factor.ts';
import type { VisibilityChoices } from '#contract/visibility.ts';
import { requireMember } from '../../domain/guards.ts';
import { problemOf } from '../../platform/api.ts';
import { loaderServices } from '../../platform/loader-services.ts';
import { type MessageSettings, loadMessageSettings } from './messages.tsx';
import type { StoredPrivacy } from './privacy.tsx';

/** The sections of the settings, as in the URL: `?section=security`. */
export type Section = 'information' | 'privacy' | 'security' | 'notifications' | 'delete';

export type SettingsData =
  | {
      readonly section: 'information';
      readonly profile: Profile;
      readonly visibility: VisibilityChoices;
      readonly version: number;
      readonly facts: InstitutionFacts;
    }
  | {
      readonly section: 'privacy';
      readonly uid: string;
      readonly privacy: StoredPrivacy;
      readonly facts: InstitutionFacts;
      readonly messages: MessageSettings;
    }
  | {
      readonly section: 'security';
      readonly devices: readonly Device[];
      readonly factors: SecondFactor;
      readonly undelivered: UndeliverableAddress | null;
    }
  | { readonly section: 'notifications'; readonly choices: NotificationChoices }
  | { readonly section: 'delete' }
  | { readonly section: 'failed'; readonly code: string };

/** The terms that the user has accepted; null if they could not be loaded. */
export interface WithTerms {
  readonly terms: AcceptedTerms | null;
}

export async function settingsLoader(args: LoaderFunctionArgs) {
  await requireMember(args);
  const { call } = args.context.get(loaderServices);
  const [part, terms] = await Promise.all([loadPart(args), call('GET /api/identity/terms').catch(() => null)]);
  const loaded: SettingsData & WithTerms = { ...part, terms };
  return part.section === 'failed' ? data(loaded, { status: 503 }) : loaded;
}

async function loadPart(args: LoaderFunctionArgs): Promise<SettingsData> {
  const { uid } = await requireMember(args);
  const { call } = args.context.get(loaderServices);
  const section = new URL(args.request.url).searchParams.get('section');
  try {
    if (section === 'security') {
      const [{ sessions }, factors, { undelivered }] = await Promise.all([
        call('GET /api/identity/sessions'),
        call('GET /api/identity/second-factor'),
        call('GET /api/identity/verification'),
      ]);
      return { section, devices: sessions, factors, undelivered } satisfies SettingsData;
    }
    if (section === 'privacy') {
      const [privacy, facts, messages] = await Promise.all([
        call('GET /api/users/{id}/privacy', { params: { id: uid } }),
        call('GET /api/institution'),
        loadMessageSettings(call),
      ]);
      return { section, uid, privacy, facts, messages } satisfies SettingsData;
    }
    if (section === 'notifications') {
      return { section, choices: await call('GET /api/notifications/choices') } satisfies SettingsData;
    }
    if (section === 'delete') return { section } satisfies SettingsData;
    const [document, facts] = await Promise.all([
      call('GET /api/users/{id}/document', { params: { id: uid } }),
      call('GET /api/institution'),
    ]);
    return { section: 'information', ...document, facts } satisfies SettingsData;
  } catch (error) {
    const { code } = problemOf(error);
    return { section: 'failed', code };
  }
}
