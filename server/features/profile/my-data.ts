import type { Activity } from '#contract/career-values.ts';
import { extraFields } from '#contract/profile-fields.ts';
import { toDocument } from '#contract/profile.ts';
import { getEffectiveAudience, profileFields } from '#contract/visibility.ts';
import type { Context } from '#server/domain/context.ts';
import { type CollectMyData, type MyDataPart, jsonFile } from '#server/domain/my-data.ts';
import { findPerson, fromColumns } from '#server/domain/people/people.ts';
import type { Person } from '#server/domain/people/visibility.ts';
import { toJpeg } from '#server/platform/media/encode-picture.ts';
import type { ZipFile } from '#server/platform/storage/zip.ts';
import { findIncompleteProfile } from './incomplete-profile.ts';
import { toVcard } from './vcard.ts';

interface More {
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly activity: Activity | null;
  readonly inField: boolean | null;
  readonly answeredOn: string | null;
}

export const collectProfileData: CollectMyData = async (context, { account }) => {
  const person = await findPerson(context.db, account.id);
  if (!person) return collectIncompleteProfile(context, account.id);
  const more = await context.db
    .selectFrom('profiles')
    .leftJoin('tracer_answers as t', 't.account_id', 'profiles.account_id')
    .select(['created_at as createdAt', 'updated_at as updatedAt'])
    .select(['activity', 'in_field as inField', 'answered_on as answeredOn'])
    .where('profiles.account_id', '=', account.id)
    .executeTakeFirstOrThrow();
  return {
    about: {
      'profile.json':
        'Your complete profile, including your picture. The key "archive" contains your work, place and help offers, and your privacy settings: who may see each field, and whether you are hidden.',
      'profile.vcf': 'Your profile as a contact card (vCard 4.0), for the address book of a phone or computer.',
      ...(person.picture !== null && { 'pictures/portrait.webp': 'Your picture.' }),
    },
    files: listFiles(context, person, more),
  };
};

async function collectIncompleteProfile({ db, media }: Context, accountId: string): Promise<MyDataPart> {
  const fields = await findIncompleteProfile(db, accountId);
  if (!fields) return {};
  const name = fields['imgURL']?.split('/')[2];
  async function* all(): AsyncGenerator<ZipFile> {
    yield jsonFile('unfinished-profile.json', fields);
    const portrait = name === undefined ? null : await media.read(name, 384);
    if (portrait) yield { path: 'pictures/portrait.webp', content: portrait };
  }
  return {
    about: {
      'unfinished-profile.json':
        'The parts of your profile that were imported from the previous archive, for you to complete.',
      ...(name !== undefined && { 'pictures/portrait.webp': 'Your picture.' }),
    },
    files: all(),
  };
}

async function* listFiles(
  { media, institution }: Context,
  person: Person,
  { createdAt, updatedAt, activity, inField, answeredOn }: More,
): AsyncGenerator<ZipFile> {
  const portrait = person.picture === null ? null : await media.read(person.picture, 384);
  yield jsonFile('profile.json', {
    ...toStoredShape(person, portrait),
    archive: {
      career: {
        positions: person.positions,
        city: person.city,
        country: person.country,
        isPlaceConfirmed: person.is_place_confirmed,
        helps: person.helps,
        tracer: activity === null ? null : { activity, inField, answeredOn },
      },
      ...Object.fromEntries(extraFields.map((field) => [field, fromColumns(person)[field] ?? ''])),
      visibility: Object.fromEntries(
        profileFields.map((field) => [field, getEffectiveAudience(field, person.visibility)]),
      ),
      isHidden: person.isHidden,
      isIndexed: person.isIndexed,
      createdAt,
      updatedAt,
    },
  });
  yield {
    path: 'profile.vcf',
    content: toVcard(person, {
      institution: institution.name,
      photo: portrait && (await toJpeg(portrait)),
      revisedAt: updatedAt,
    }),
  };
  if (portrait) yield { path: 'pictures/portrait.webp', content: portrait };
}

/** The shape of the specification, section 3, with the picture as a data URL (D13 in docs/conformance.md). */
const toStoredShape = (person: Person, portrait: Buffer | null) =>
  toDocument({
    ...fromColumns(person),
    ...Object.fromEntries(extraFields.map((field) => [field, undefined])),
    imgURL: portrait && `data:image/webp;base64,${portrait.toString('base64')}`,
  });
