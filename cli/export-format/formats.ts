import * as z from 'zod/mini';
import { activityNames, helpKinds, workFieldNames } from '#contract/career-values.ts';
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

const Position = z.object({
  role: z.string(),
  employer: z.string(),
  field: z.nullable(z.enum(workFieldNames)),
  from: z.nullable(z.int()),
  to: z.nullable(z.int()),
  confirmedOn: z.nullable(z.iso.date()),
});

const CareerLine = z.object({
  positions: z.array(Position),
  city: z.string(),
  cityId: z.nullish(z.int()),
  country: z.string(),
  isPlaceConfirmed: z.optional(z.boolean()),
  helps: z.array(z.enum(helpKinds)),
  savedAt: z.nullish(Time),
  dismissedAt: z.nullish(Time),
  tracer: z.nullish(
    z.object({ activity: z.enum(activityNames), inField: z.nullable(z.boolean()), answeredOn: z.iso.date() }),
  ),
});

export const ProfileLine = z.object({
  email: z.string(),
  /** The specification's stored shape. `imgURL` is the path of a file in the export. */
  profile: z.extend(z.omit(ProfileDocument, { imgURL: true, visibility: true }), {
    imgURL: z.nullish(z.string()),
  }),
  visibility: z.optional(z.partialRecord(z.enum(profileFields as [string, ...string[]]), z.enum(audiences))),
  isHidden: z.optional(z.boolean()),
  isIndexed: z.optional(z.boolean()),
  career: z.optional(
    z.pipe(
      CareerLine,
      z.transform(
        ({ cityId = null, isPlaceConfirmed = true, savedAt = null, dismissedAt = null, tracer = null, ...rest }) => ({
          ...rest,
          city_id: cityId,
          is_place_confirmed: isPlaceConfirmed,
          savedAt,
          dismissedAt,
          tracer,
        }),
      ),
    ),
  ),
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
