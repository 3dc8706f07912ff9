import * as z from 'zod/mini';
import { Email, cleanAndTruncate } from '#contract/fields.ts';
import { optionalNotificationKinds } from '#contract/notifications.ts';
import { ProfileDocument } from '#contract/profile.ts';
import { hiddenReasons } from '#server/db/schema.ts';
import { audiences, profileFields } from '#contract/visibility.ts';

/*
 * Schemas of the lines of an export, one JSON value per line. Other programs that write files for an import must follow
 * these schemas. Unknown keys are ignored.
 */

const maxVersionChars = 100;

const Time = z.pipe(
  z.iso.datetime({ offset: true }),
  z.transform((text) => new Date(text)),
);

/** Version name in any format, because other programs may use their own. */
const Version = z.pipe(
  z.string(),
  z.transform((text) => cleanAndTruncate(text, maxVersionChars)),
);

export const AccountLine = z.object({
  id: z.optional(z.uuid()),
  email: z.string(),
  emailVerified: z.boolean(),
  /** Password hash, `$argon2id$…`; null if the account has no password. */
  passwordHash: z.nullish(z.string().check(z.regex(/^\$[\w+/=,.$-]{1,500}$/u, 'Not in the PHC format'))),
  createdAt: z.optional(Time),
  termsVersion: z.nullish(Version),
  termsAcceptedAt: z.nullish(Time),
  takesMessages: z.optional(z.boolean()),
  takesAnnouncements: z.optional(z.boolean()),
  /** Kinds of notifications that the owner turned off. Unknown kinds are ignored. */
  mutedKinds: z.optional(
    z.pipe(
      z.array(z.string()),
      z.transform((kinds) => optionalNotificationKinds.filter((kind) => kinds.includes(kind))),
    ),
  ),
  disabledAt: z.nullish(Time),
  lastSeenAt: z.optional(Time),
  hiddenUntilSignIn: z.nullish(z.enum(hiddenReasons)),
});
export type AccountLine = z.infer<typeof AccountLine>;

export const ProfileLine = z.object({
  email: z.string(),
  /** The specification's stored shape. `imgURL` is the path of a file in the export. */
  profile: z.extend(z.omit(ProfileDocument, { imgURL: true, visibility: true }), {
    imgURL: z.nullish(z.string()),
  }),
  visibility: z.optional(z.partialRecord(z.enum(profileFields as [string, ...string[]]), z.enum(audiences))),
  isHidden: z.optional(z.boolean()),
  isIndexed: z.optional(z.boolean()),
  createdAt: z.optional(Time),
});

export const IncompleteLine = z.object({
  email: z.string(),
  fields: z.record(z.string(), z.string()),
  /** Path of the picture in the export, e.g. `pictures/….webp`. */
  picture: z.nullish(z.string()),
});

export const PhotoLine = z.object({
  email: z.string(),
  picture: z.string(),
  album: z.string(),
  title: z.string(),
  place: z.nullish(z.string()),
  takenOn: z.nullish(z.string()),
  audience: z.enum(['everyone', 'members']),
  createdAt: Time,
});

export const BlockLine = z.object({ email: Email, blocked: Email });
