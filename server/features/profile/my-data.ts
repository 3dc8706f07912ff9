import { getEffectiveAudience, profileFields } from '#contract/visibility.ts';
import type { Context } from '../../domain/context.ts';
import { type CollectMyData, type MyDataPart, jsonFile } from '../../domain/my-data.ts';
import { findPerson } from '../../domain/people.ts';
import type { Person } from '../../domain/visibility.ts';
import { toJpeg } from '../../platform/media/media.ts';
import type { ZipFile } from '../../platform/storage/zip.ts';
import { findIncompleteProfile } from './incomplete-profile.ts';
import { toVcard } from './vcard.ts';

interface Times {
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** The profile, twice: as the specification stores it, and as a card for an address book; and the portrait. */
export const profileData: CollectMyData = async (context, { account }) => {
  const person = await findPerson(context.db, account.id);
  if (!person) return collectIncompleteProfile(context, account.id);
  const times = await context.db
    .selectFrom('profiles')
    .select(['created_at as createdAt', 'updated_at as updatedAt'])
    .where('account_id', '=', account.id)
    .executeTakeFirstOrThrow();
  return {
    about: {
      'profile.json':
        'Your profile, complete, with your picture in it. Under "archive" stands what is particular to this archive: who may see which field, and whether you are hidden.',
      'profile.vcf': 'The same as a card (vCard 4.0) for the address book of a phone or a computer.',
      ...(person.picture !== null && { 'pictures/portrait.webp': 'Your picture.' }),
    },
    files: listFiles(context, person, times),
  };
};

/** What waits to be completed, where there is no profile yet. */
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
        'What was brought over of your profile from the archive before this one, for you to complete.',
      ...(name !== undefined && { 'pictures/portrait.webp': 'Your picture.' }),
    },
    files: all(),
  };
}

async function* listFiles(
  { media, institution }: Context,
  person: Person,
  { createdAt, updatedAt }: Times,
): AsyncGenerator<ZipFile> {
  const portrait = person.picture === null ? null : await media.read(person.picture, 384);
  yield jsonFile('profile.json', {
    ...toStoredShape(person, portrait),
    archive: {
      otherNames: person.other_names,
      visibility: Object.fromEntries(
        profileFields.map((field) => [field, getEffectiveAudience(field, person.visibility)]),
      ),
      isHidden: person.isHidden,
      isIndexed: person.isIndexed,
      createdAt: createdAt.toISOString(),
      updatedAt: updatedAt.toISOString(),
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

/** The specification's section 3, to the letter; the picture is a data string again (decision 13). */
const toStoredShape = (person: Person, portrait: Buffer | null) => ({
  imgURL: portrait && `data:image/webp;base64,${portrait.toString('base64')}`,
  name: { first: person.first_name, middle: person.middle_name, last: person.last_name },
  title: person.title,
  dob: person.dob,
  gender: person.gender,
  homeAddress: person.home_address,
  contactNumber: person.contact_number,
  academic: {
    matricNumber: person.matric_number,
    college: person.college,
    department: person.department,
    program: person.program,
    year: { admitted: person.year_admitted, graduated: person.year_graduated },
  },
  interest: person.interest,
  bio: person.bio,
  fullBio: person.full_bio,
  social: { x: person.x_handle, facebook: person.facebook_name, linkedin: person.linkedin_name },
});
