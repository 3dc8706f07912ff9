import { randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Person } from '#server/domain/people/visibility.ts';
import { toVcard } from './vcard.ts';

const person: Person = {
  id: randomUUID(),
  email: 'ada@mail.example',
  picture: 'name',
  visibility: {},
  isHidden: false,
  isIndexed: false,
  isDisabled: false,
  isHiddenByStaff: false,
  awaitsSignIn: false,
  awaitsConfirmation: false,
  isMinor: false,
  takesMessages: true,
  positions: [],
  city: '',
  city_id: null,
  country: '',
  is_place_confirmed: true,
  helps: [],
  first_name: 'Ọládélé; Chidi',
  middle_name: 'Adéọlá',
  last_name: 'Abíọ́dún, jnr',
  title: 'mrs.',
  dob: '1993-04-12',
  gender: 'female',
  home_address: '12 Unity Close,\nAbẹ́òkúta; behind \\the mill',
  contact_number: '+234 801 234 5678',
  matric_number: '20110294001X',
  college: 'COSIT',
  department: 'Computer Science, with Maths',
  program: 'B.Sc',
  year_admitted: 2011,
  year_graduated: 2015,
  interest: 'Chess',
  bio: 'Teacher in Lagos',
  full_bio: `I teach.\n\n${'Ẹ̀kọ́ 🌴 '.repeat(40)}`,
  x_handle: 'ola abi',
  facebook_name: 'ola.abi',
  linkedin_name: 'ọlá',
  other_names: 'Bọ́lá, Bee',
};

const photo = randomBytes(5_000);
const card = (change: Partial<Person> = {}, picture: Buffer | null = photo) =>
  toVcard(
    { ...person, ...change },
    { institution: 'University; of Lagos', photo: picture, revisedAt: new Date('2026-11-21T11:00:00.123Z') },
  );

function read(vcard: string): Map<string, string[][]> {
  const properties = new Map<string, string[][]>();
  for (const line of vcard.replaceAll('\r\n ', '').split('\r\n').slice(0, -1)) {
    const [, name = '', value = ''] = /^([A-Z]+)(?:;[A-Z]+=\w+)?:(.*)$/u.exec(line) ?? [];
    const parts = name === 'PHOTO' || name === 'URL' ? [value] : (value.match(/(?:\\.|[^;\\])*(?:;|$)/gu) ?? []);
    const plain = parts.map((part) =>
      part.replace(/(?<!\\);$/u, '').replaceAll(/\\(.)/gu, (_, escaped: string) => (escaped === 'n' ? '\n' : escaped)),
    );
    properties.set(name, [...(properties.get(name) ?? []), plain]);
  }
  return properties;
}

const first = (vcard: string, name: string, parts: number) => read(vcard).get(name)?.[0]?.slice(0, parts);

describe('toVcard', () => {
  test('returns a complete vCard with CRLF line endings', () => {
    expect(card()).toMatch(/^BEGIN:VCARD\r\nVERSION:4\.0\r\n/u);
    expect(card()).toMatch(/\r\nEND:VCARD\r\n$/u);
    expect(card().replaceAll('\r\n', '')).not.toMatch(/[\r\n]/u);
  });

  test('folds lines at 75 octets without splitting characters', () => {
    const lines = Buffer.from(card()).toString('latin1').split('\r\n');
    expect(Math.max(...lines.map(({ length }) => length))).toBe(75);
    const utf8 = new TextDecoder('utf-8', { fatal: true });
    for (const line of lines) expect(() => utf8.decode(Buffer.from(line, 'latin1'))).not.toThrow();
  });

  test('escapes values so that they can be parsed back', () => {
    expect(first(card(), 'FN', 1)).toEqual(['Ọládélé; Chidi Adéọlá Abíọ́dún, jnr']);
    expect(first(card(), 'N', 5)).toEqual(['Abíọ́dún, jnr', 'Ọládélé; Chidi', 'Adéọlá', 'mrs.', '']);
    expect(first(card(), 'ADR', 7)).toEqual(['', '', person.home_address, '', '', '', '']);
    expect(first(card(), 'ORG', 3)).toEqual(['University; of Lagos', 'COSIT', 'Computer Science, with Maths']);
    expect(first(card(), 'NOTE', 1)?.[0]).toContain(person.full_bio);
    expect(first(card(), 'EMAIL', 1)).toEqual(['ada@mail.example']);
    expect(first(card(), 'TEL', 1)).toEqual(['+234 801 234 5678']);
  });

  test('has the current confirmed work, and city and country beside the unchanged address', () => {
    const work = { role: 'Engineer; Lead', employer: 'Sons, Ltd.', field: null, from: 2015, to: null };
    const confirmedOn = '2026-11-01';
    const vcard = card({
      positions: [
        { ...work, role: 'Rumour', employer: 'Hearsay', confirmedOn: null },
        { ...work, confirmedOn },
        { ...work, role: 'Trainee', to: 2016, confirmedOn },
      ],
      city: 'Abẹ́òkúta',
      country: 'NG',
    });
    expect(vcard).toContain(String.raw`ORG;TYPE=work:Sons\, Ltd.`);
    expect(vcard).toContain(String.raw`TITLE;TYPE=work:Engineer\; Lead`);
    expect(vcard).not.toMatch(/Rumour|Hearsay|Trainee/u);
    expect(
      read(vcard)
        .get('ADR')
        ?.map((parts) => parts.slice(0, 7)),
    ).toEqual([
      ['', '', person.home_address, '', '', '', ''],
      ['', '', '', 'Abẹ́òkúta', '', '', 'Nigeria'],
    ]);
    expect(card()).not.toContain('TYPE=work');
    expect(read(card()).get('ADR')).toHaveLength(1);
  });

  test('formats the date of birth, gender, UID and time according to RFC 6350', () => {
    const vcard = card();
    for (const line of ['BDAY:19930412', 'GENDER:F', `UID:urn:uuid:${person.id}`, 'REV:20261121T110000Z'])
      expect(vcard).toContain(`\r\n${line}\r\n`);
    expect(card({ gender: 'male' })).toContain('\r\nGENDER:M\r\n');
  });

  test('returns each of the other names as a nickname, and no nickname property if there are none', () => {
    expect(card()).toContain('\r\nNICKNAME:Bọ́lá,Bee\r\n');
    expect(card({ other_names: '' })).not.toContain('NICKNAME');
  });

  test('leaves out texts that are "-"', () => {
    const vcard = card({ middle_name: '-', contact_number: '-', x_handle: '-' });
    expect(first(vcard, 'FN', 1)).toEqual(['Ọládélé; Chidi Abíọ́dún, jnr']);
    expect(first(vcard, 'N', 5)).toEqual(['Abíọ́dún, jnr', 'Ọládélé; Chidi', '', 'mrs.', '']);
    // The picture is random Base64, which can contain any three letters.
    expect(vcard).not.toMatch(/^TEL/mu);
    expect(vcard).not.toContain('x.com');
  });

  test('returns handles as URLs and embeds the picture', () => {
    const urls = read(card()).get('URL')?.flat();
    expect(urls).toEqual([
      'https://x.com/ola%20abi',
      'https://www.facebook.com/ola.abi',
      `https://www.linkedin.com/in/${encodeURIComponent('ọlá')}`,
    ]);
    expect(first(card(), 'PHOTO', 1)).toEqual([`data:image/jpeg;base64,${photo.toString('base64')}`]);
    expect(card({}, null)).not.toContain('PHOTO');
  });
});
