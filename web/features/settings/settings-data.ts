import { type LoaderFunctionArgs, data } from 'react-router';
import type { OwnCareer } from '#contract/careers.ts';
import type { CallResult } from '#contract/endpoint.ts';
import type { Endpoints } from '#contract/endpoints.ts';
import type { AcceptedTerms, Device, UndeliverableAddress, User } from '#contract/identity.ts';
import type { InstitutionFacts } from '#contract/institution.ts';
import type { Membership } from '#contract/membership.ts';
import type { NotificationChoices } from '#contract/notifications.ts';
import type { Profile } from '#contract/profile.ts';
import type { SecondFactor } from '#contract/second-factor.ts';
import type { VisibilityChoices } from '#contract/visibility.ts';
import { requireOnboarded } from '#web/domain/guards.ts';
import { problemOf } from '#web/platform/api.ts';
import { loaderServices } from '#web/platform/loader-services.ts';
import { type MessageSettings, loadMessageSettings } from './messages.tsx';
import type { OfficeAccess } from './my-data.tsx';
import type { StoredPrivacy } from './privacy.tsx';

/** The specified sections come first, in their order (specification, section 2). */
const sections = [
  'information',
  'security',
  'career',
  'privacy',
  'membership',
  'notifications',
  'appearance',
  'delete',
] as const;

export type Section = (typeof sections)[number];

export type SettingsData =
  | {
      readonly section: 'information';
      readonly profile: Profile;
      readonly visibility: VisibilityChoices;
      readonly version: number;
      readonly waiting: readonly string[] | null;
      readonly facts: InstitutionFacts;
    }
  | { readonly section: 'career'; readonly career: OwnCareer }
  | {
      readonly section: 'privacy';
      readonly uid: string;
      readonly privacy: StoredPrivacy;
      readonly facts: InstitutionFacts;
      readonly messages: MessageSettings;
      readonly access: OfficeAccess;
    }
  | {
      readonly section: 'security';
      readonly devices: readonly Device[];
      readonly factors: SecondFactor;
      readonly undelivered: UndeliverableAddress | null;
      /** Absent without campus sign-on. */
      readonly campus?: CallResult<Endpoints['GET /api/identity/campus']>;
    }
  | { readonly section: 'membership'; readonly membership: Membership }
  | { readonly section: 'notifications'; readonly choices: NotificationChoices }
  | { readonly section: 'appearance' | 'delete' }
  | { readonly section: 'failed'; readonly code: string };

export interface WithFrame {
  readonly chosen: Section | null;
  readonly terms: AcceptedTerms | null;
}

export const sectionsOf = (user: User): readonly Section[] =>
  sections.filter((section) => section !== 'membership' || user.membership !== null);

export async function settingsLoader(args: LoaderFunctionArgs) {
  const user = await requireOnboarded(args);
  const { call } = args.context.get(loaderServices);
  const requested = new URL(args.request.url).searchParams.get('section');
  const chosen = sectionsOf(user).find((section) => section === requested) ?? null;
  const [part, terms] = await Promise.all([
    loadPart(args, user, chosen),
    call('GET /api/identity/terms').catch(() => null),
  ]);
  const loaded: SettingsData & WithFrame = { ...part, chosen, terms };
  return part.section === 'failed' ? data(loaded, { status: 503 }) : loaded;
}

async function loadPart(args: LoaderFunctionArgs, { uid }: User, section: Section | null): Promise<SettingsData> {
  const { call, institution } = args.context.get(loaderServices);
  try {
    if (section === 'security') {
      const [{ sessions }, factors, { undelivered }, campus] = await Promise.all([
        call('GET /api/identity/sessions'),
        call('GET /api/identity/second-factor'),
        call('GET /api/identity/verification'),
        institution.hasCampusSignOn && call('GET /api/identity/campus'),
      ]);
      return { section, devices: sessions, factors, undelivered, ...(campus && { campus }) } satisfies SettingsData;
    }
    if (section === 'career') {
      const career = await call('GET /api/users/{id}/career', { params: { id: uid } });
      return { section, career } satisfies SettingsData;
    }
    if (section === 'privacy') {
      const [privacy, facts, messages, access] = await Promise.all([
        call('GET /api/users/{id}/privacy', { params: { id: uid } }),
        call('GET /api/institution'),
        loadMessageSettings(call),
        call('GET /api/users/{id}/disclosures', { params: { id: uid } }),
      ]);
      return { section, uid, privacy, facts, messages, access } satisfies SettingsData;
    }
    if (section === 'notifications') {
      return { section, choices: await call('GET /api/notifications/choices') } satisfies SettingsData;
    }
    if (section === 'membership')
      return { section, membership: await call('GET /api/membership') } satisfies SettingsData;
    if (section === 'appearance' || section === 'delete') return { section } satisfies SettingsData;
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
