import type { ColumnType, Generated, RawBuilder } from 'kysely';
import type { ActionMode, MailFault } from '#contract/identity.ts';
import type { NotificationKind, OptionalKind } from '#contract/notifications.ts';
import type { VisibilityChoices } from '#contract/visibility.ts';

/** The tables of `migrations/`, which say what each column means. */
export interface Tables {
  accounts: {
    id: Generated<string>;
    email: string;
    email_verified: Generated<boolean>;
    pending_email: string | null;
    password_hash: string;
    display_name: string | null;
    muted_kinds: Generated<OptionalKind[]>;
    terms_version: string | null;
    terms_accepted_at: Date | null;
    takes_messages: Generated<boolean>;
    mail_failed_at: Date | null;
    mail_failed_to: string | null;
    mail_fault: MailFault | null;
    disabled_at: Date | null;
    verify_by: Date | null;
    created_at: Generated<Date>;
  };
  sessions: {
    token_hash: Buffer;
    id: Generated<string>;
    account_id: string;
    user_agent: string;
    created_at: Generated<Date>;
    seen_at: Generated<Date>;
    expires_at: Date;
    authenticated_at: Generated<Date>;
  };
  known_devices: { token_hash: Buffer; account_id: string; seen_at: Generated<Date> };
  action_codes: {
    code_hash: Buffer;
    mode: ActionMode;
    account_id: string;
    email: string;
    created_at: Generated<Date>;
    expires_at: Date;
    used_at: Date | null;
    mail_id: string | null;
  };
  held_addresses: { email: string; account_id: string; until: Date };
  clock: { is_only_row: Generated<boolean>; seen_at: Generated<Date>; steady_since: Generated<Date> };
  throttles: { key: string; hits: number; window_ends: Date };
  authenticators: {
    account_id: string;
    secret: Buffer;
    confirmed_at: Date | null;
    // `bigint` arrives as text; a step of thirty seconds is far below where numbers lose digits.
    last_step: ColumnType<string, number | undefined, number>;
    used_steps: Generated<number[]>;
    created_at: Generated<Date>;
  };
  recovery_codes: { account_id: string; code_hash: Buffer };
  passkeys: {
    id: Generated<string>;
    account_id: string;
    credential_id: string;
    public_key: Buffer;
    counter: ColumnType<string, number, number>;
    transports: string[];
    name: string;
    created_at: Generated<Date>;
    used_at: Date | null;
  };
  challenges: {
    challenge_hash: Buffer;
    purpose: ChallengePurpose;
    bound_to: Buffer;
    account_id: string | null;
    expires_at: Date;
  };
  pending_sign_ins: { token_hash: Buffer; account_id: string; tries: Generated<number>; expires_at: Date };
  notifications: {
    id: Generated<string>;
    account_id: string;
    kind: NotificationKind;
    detail: string;
    count: Generated<number>;
    created_at: Generated<Date>;
    read_at: Date | null;
  };
  messages: { id: Generated<string>; sender_id: string; recipient_id: string; sent_at: Generated<Date> };
  blocks: { account_id: string; blocked_id: string; created_at: Generated<Date> };
  department_news: { department: string; kind: OptionalKind; since: Generated<Date> };
  photos: {
    id: Generated<string>;
    account_id: string;
    picture: string;
    width: number;
    height: number;
    album_key: string;
    album: string;
    title: string;
    place: string | null;
    taken_on: string | null;
    audience: ListingAudience;
    created_at: Generated<Date>;
  };
  profiles: ProfileColumns & {
    account_id: string;
    picture: string | null;
    visibility: ColumnType<VisibilityChoices, string, string>;
    is_hidden: Generated<boolean>;
    is_indexed: Generated<boolean>;
    version: Generated<number>;
    created_at: Generated<Date>;
    updated_at: Generated<Date>;
  };
  listings: {
    audience: ListingAudience;
    account_id: string;
    sort_name: string;
    name: string;
    picture: string | null;
    college: string | null;
    department: string | null;
    program: string | null;
    year_graduated: number | null;
    matric_number: string | null;
    other_names: string | null;
    search: ColumnType<string, RawBuilder<string>, RawBuilder<string>>;
    listed_at: Generated<Date>;
  };
  paused_listings: { account_id: string; audience: ListingAudience; listed_at: Date };
  unfinished_profiles: {
    account_id: string;
    fields: ColumnType<Record<string, unknown>, string, string>;
    picture: string | null;
  };
  listing_counts: {
    audience: ListingAudience;
    college: string;
    department: string;
    program: string;
    year_graduated: number;
    people: number;
  };
}

/** What a passkey is asked to sign for. */
export type ChallengePurpose = 'add' | 'second-factor' | 'sign-in';

/** The audiences that have a list of their own: guests read the first, members the second. */
export type ListingAudience = 'everyone' | 'members';

/** The columns that stand for one field of the onboarding each. */
export interface ProfileColumns {
  first_name: string;
  middle_name: string;
  last_name: string;
  title: string;
  dob: string;
  gender: string;
  home_address: string;
  contact_number: string;
  matric_number: string;
  college: string;
  department: string;
  program: string;
  year_admitted: number;
  year_graduated: number;
  interest: string;
  bio: string;
  full_bio: string;
  x_handle: string;
  facebook_name: string;
  linkedin_name: string;
  other_names: string;
}
