import { columnFields, profileRows } from '#contract/profile-fields.ts';
import { countryName } from '#contract/country-name.ts';
import { fromColumns } from '#server/domain/people/people.ts';
import { type Person, withoutNone } from '#server/domain/people/visibility.ts';

interface VcardExtras {
  readonly institution: string;
  readonly photo: Buffer | null;
  readonly revisedAt: Date;
}

/** Writes vCard 4.0 (RFC 6350). */
export function toVcard(stored: Person, { institution, photo, revisedAt }: VcardExtras): string {
  const person = withoutNone(stored);
  const work = person.positions.find(({ to, confirmedOn }) => to === null && confirmedOn !== null);
  const name = [person.first_name, person.middle_name, person.last_name].filter(Boolean);
  const list = (property: string, value: string): string[] => (value === '' ? [] : [property + value]);
  const properties = [
    'BEGIN:VCARD',
    'VERSION:4.0',
    'KIND:individual',
    `UID:urn:uuid:${person.id}`,
    // Basic format (section 4.3): "20261121T110000Z".
    `REV:${revisedAt.toISOString().replaceAll(/[-:]|\.\d+/gu, '')}`,
    `FN:${escapeText(name.join(' '))}`,
    `N:${joinComponents([person.last_name, person.first_name, person.middle_name, person.title, ''])}`,
    ...(person.other_names === ''
      ? []
      : [
          `NICKNAME:${person.other_names
            .split(/\s*,\s*/u)
            .map(escapeText)
            .join(',')}`,
        ]),
    `BDAY:${person.dob.replaceAll('-', '')}`,
    `GENDER:${person.gender === 'female' ? 'F' : 'M'}`,
    `EMAIL:${escapeText(person.email)}`,
    ...list('TEL;TYPE=voice:', escapeText(person.contact_number)),
    // Post box, extension, street, place, region, code, country. The archive stores the address as one text, which
    // becomes the street. City and country are where the person lives now, which may be another address.
    `ADR;TYPE=home:${joinComponents(['', '', person.home_address, '', '', '', ''])}`,
    ...(person.country === ''
      ? []
      : [`ADR;TYPE=home:${joinComponents(['', '', '', person.city, '', '', countryName(person.country)])}`]),
    ...list('ORG;TYPE=work:', escapeText(work?.employer ?? '')),
    ...list('TITLE;TYPE=work:', escapeText(work?.role ?? '')),
    `ORG:${joinComponents([institution, person.college, person.department])}`,
    `TITLE:${escapeText(`Alum, ${person.program}, ${person.year_admitted} to ${person.year_graduated}`)}`,
    `NOTE:${escapeText([person.bio, person.full_bio, `Matric number: ${person.matric_number}`, ...listNotes(person)].join('\n\n'))}`,
    // RFC 6715
    ...list('INTEREST:', escapeText(person.interest)),
    ...listSite('https://x.com/', person.x_handle),
    ...listSite('https://www.facebook.com/', person.facebook_name),
    ...listSite('https://www.linkedin.com/in/', person.linkedin_name),
    ...(photo ? [`PHOTO:data:image/jpeg;base64,${photo.toString('base64')}`] : []),
    'END:VCARD',
  ];
  return properties.map((property) => `${foldLine(property)}\r\n`).join('');
}

function listNotes(person: Person): string[] {
  const fields = fromColumns(person);
  return columnFields
    .filter((field) => profileRows[field].isExtra && field !== 'otherNames' && fields[field])
    .map((field) => `${profileRows[field].label}: ${fields[field]}`);
}

const listSite = (site: string, handle: string): string[] =>
  handle === '' ? [] : [`URL:${site}${encodeURIComponent(handle)}`];

const escapeText = (value: string): string =>
  value.replaceAll(/[\\,;]/gu, String.raw`\$&`).replaceAll('\n', String.raw`\n`);

const joinComponents = (values: readonly string[]): string => values.map(escapeText).join(';');

/** Maximum length of a line in octets, without the line break (section 3.2). */
const maxLineOctets = 75;

function foldLine(line: string): string {
  let result = '';
  let octets = 0;
  for (const character of line) {
    const size = Buffer.byteLength(character);
    if (octets + size > maxLineOctets) {
      result += '\r\n ';
      octets = 1;
    }
    result += character;
    octets += size;
  }
  return result;
}
