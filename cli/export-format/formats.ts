import * as z from 'zod/mini';
import { Email, cleanAndTruncate } from '#contract/fields.ts';
import { optionalNotificationKinds } from '#contract/notifications.ts';
import { ProfileDocument } from '#contract/profile.ts';
import { hiddenReasons } from '#server/db/schema.ts';
import { audiences, profileFields } from '#contract/visibility.ts';

/*
 * The lines of an export, one JSON value each. What a program elsewhere has to write so that it can be imported here is what
 * stands here; further keys are passed over.
 */

/** Characters that are kept of one. */
const versionMax = 100;

const Time = z.pipe(
  z.iso.datetime({ offset: true }),
  z.transform((text) => new Date(text)),
);

/** The name of a version, of which nothing is asked: of a program elsewhere it may be anything. */
const Version = z.pipe(
  z.string(),
  z.transform((text) => cleanAndTruncate(text, versionMax)),
);

export const AccountLine = z.object({
  id: z.optional(z.uuid()),
  email: z.string(),
  emailVerified: z.boolean(),
  /** `$argon2id$…`, or null where nobody can sign in with a password. */
  passwordHash: z.nullish(z.string().check(z.regex(/^\$[\w+/=,.$-]{1,500}$/u, 'Not in the PHC format'))),
  createdAt: z.optional(Time),
  termsVersion: z.nullish(Version),
  termsAcceptedAt: z.nullish(Time),
  takesMessages: z.optional(z.boolean()),
  /** Of what they do not want to hear; kinds that are not known here are passed over. */
  mutedKinds: z.optional(
    z.pipe(
      z.array(z.string()),
      z.transform((kinds) => optionalNotificationKinds.filter((kind) => kinds.includes(kind))),
    ),
  ),
  /** Where the operator has switched the account off. */
  disabledAt: z.nullish(Time),
  lastSeenAt: z.optional(Time),
  /** Why the profile is hidden from others until its owner signs in. */
  hiddenUntilSignIn: z.nullish(z.enum(hiddenReasons)),
});
export type AccountLine = z.infer<typeof AccountLine>;

export const ProfileLine = z.object({
  email: z.string(),
  /** The specification's stored shape; its picture is a file of the export. */
  profile: z.extend(z.omit(ProfileDocument, { imgURL: true, visibility: true }), {
    imgURL: z.nullish(z.string()),
  }),
  visibility: z.optional(z.partialRecord(z.enum(profileFields as [string, ...string[]]), z.enum(audiences))),
  isHidden: z.optional(z.boolean()),
  isIndexed: z.optional(z.boolean()),
  createdAt: z.optional(Time),
});

export const UnfinishedLine = z.object({
  email: z.string(),
  fields: z.record(z.string(), z.string()),
  /** e.g. `pictures/….webp` */
  picture: z.nullish(z.string()),
});

export const PhotoLine = z.object({
  email: z.string(),
  /** e.g. `pictures/….webp` */
  picture: z.string(),
  album: z.string(),
  title: z.string(),
  place: z.nullish(z.string()),
  takenOn: z.nullish(z.string()),
  audience: z.enum(['everyone', 'members']),
  createdAt: Time,
});

export const BlockLine = z.object({ email: Email, blocked: Email });
