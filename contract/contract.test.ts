import { describe, expect, test } from 'vitest';
import { toWireRequest } from './call.ts';
import { CareerDocument } from './careers.ts';
import { endpoints } from './endpoints.ts';
import type { Endpoint } from './endpoint.ts';
import { Email, handle, line, prose } from './fields.ts';
import { extraFields } from './profile-fields.ts';
import { ProfileDocument, type ProfileForm, formFields, onboardingSteps, toDocument, toForm } from './profile.ts';
import { getEffectiveAudience, audiences, listAllowedAudiences, profileFields, visibilityRules } from './visibility.ts';

describe('the endpoints', () => {
  test('are converted to method, URL and body by toWireRequest, without undefined values', () => {
    expect(toWireRequest('GET /api/users', { query: { department: 'A & B', college: undefined, limit: 24 } })).toEqual({
      method: 'GET',
      url: '/api/users?department=A+%26+B&limit=24',
    });
    expect(toWireRequest('PUT /api/users/{id}', { params: { id: '../x' }, body: { a: 1 } })).toEqual({
      method: 'PUT',
      url: '/api/users/..%2Fx',
      body: { a: 1 },
    });
  });

  test('all have a summary', () => {
    for (const [name, { summary }] of Object.entries(endpoints)) expect(summary, name).toMatch(/^[A-Z].{10,}/u);
  });
});

describe('the profile form', () => {
  test('keeps all values when converted to a document and back', () => {
    const form = Object.fromEntries(
      formFields.map((field, index) => [field, field.startsWith('year') ? 2000 + index : `${field} value`]),
    );
    expect(toForm(toDocument(form as ProfileForm))).toEqual(form);
  });

  test(
    'has each field in exactly one of the five onboarding steps',
    { tags: ['spec-4.11', 'spec-4.12', 'spec-4.13', 'spec-4.14', 'spec-4.15'] },
    () => {
      const fields = onboardingSteps.flatMap((step) => [...step.fields]);
      // Only the settings have the fields that the specification does not mention.
      const extra = new Set<string>(extraFields);
      expect(fields.toSorted()).toEqual(formFields.filter((field) => !extra.has(field)).toSorted());
      expect(onboardingSteps.map(({ heading }) => heading)).toEqual([
        'Basic Information',
        'Personal Information',
        'Academic Information',
        'Additional Information',
        'Profile Picture',
      ]);
    },
  );
});

describe('getEffectiveAudience', () => {
  test('returns the documented default audience of each field', { tags: ['asvs-8.1.2'] }, () => {
    const byDefault = (audience: string) =>
      profileFields.filter((field) => getEffectiveAudience(field, {}) === audience).toSorted();
    expect(byDefault('everyone')).toEqual([
      'bio',
      'department',
      'interest',
      'name',
      'picture',
      'program',
      'yearAdmitted',
      'yearGraduated',
    ]);
    expect(byDefault('me')).toEqual([]);
  });

  test('never returns a wider audience than the rule of the field allows', () => {
    for (const field of profileFields) {
      for (const audience of audiences) {
        const effective = getEffectiveAudience(field, { [field]: audience });
        expect(listAllowedAudiences(field)).toContain(effective);
        if (visibilityRules[field].widest === 'members') expect(effective).not.toBe('everyone');
      }
    }
    expect(profileFields.filter((field) => visibilityRules[field].widest === 'members').toSorted()).toEqual([
      'contactNumber',
      'dob',
      'email',
      'helps',
      'homeAddress',
      'matricNumber',
      'positions',
    ]);
  });
});

test.each([
  ['@ada', 'ada'],
  ['ada', 'ada'],
  ['https://x.com/ada', 'ada'],
  ['twitter.com/ada?s=20', 'ada'],
  ['https://m.facebook.com/ada.obi/about', 'ada.obi'],
  ['https://www.linkedin.com/in/ada-obi-1', 'ada-obi-1'],
  ['https://www.facebook.com/profile.php?id=100012345', '100012345'],
  ['facebook.com/people/Ada-Obi/100012345/', '100012345'],
  ['https://ng.linkedin.com/pub/ada-obi/1/2/3', 'ada-obi'],
  ['Ada Obi', 'Ada Obi'],
  ['Ada/Obi #1', 'Ada/Obi #1'],
  ['javascript:alert(1)', 'javascript:alert(1)'],
  ['@x.com/ada', 'ada'],
  ['x.com/x.com', 'x.com'],
  ['facebook.com/profile.php?id=x.com/ada', 'ada'],
])('the handle schema converts %j to %j', { tags: ['asvs-1.2.2'] }, (typed, kept) => {
  expect(handle.parse(typed)).toBe(kept);
});

test.each(['https://www.linkedin.com/company/acme', 'linkedin.com/school/uni/', 'https://x.com/', '@', '\u200B'])(
  'the handle schema rejects %j',
  { tags: ['asvs-1.2.2'] },
  (typed) => {
    expect(handle.safeParse(typed).success).toBe(false);
  },
);

describe('the text schemas', () => {
  test.each([
    ['  Ada \t\n Obi ', 'Ada Obi'],
    ['A\u0301da', 'Áda'],
    ['Ada\u200B', 'Ada'],
    ['A\u200Dda', 'Ada'],
    ['\u202EadA', 'adA'],
    ['Ada\u00ADObi', 'AdaObi'],
    ['Ada\u2800', 'Ada'],
    ['Ada\u{E0041}', 'Ada'],
    ['Ọlálékan Adébáyọ̀', 'Ọlálékan Adébáyọ̀'],
    ['می\u200Cخواهم', 'می\u200Cخواهم'],
    ['क्\u200Dष', 'क्\u200Dष'],
    ['👩\u200D💻 ❤\uFE0F', '👩\u200D💻 ❤\uFE0F'],
    ['A\u200B\u0301da', 'Áda'],
    ['e\u200D\u0301\u200D', 'é'],
    ['Ada \u0000 Obi', 'Ada Obi'],
  ])(
    'clean the line %j to %j, and leave the result unchanged',
    { tags: ['asvs-1.1.1', 'asvs-1.3.3'] },
    (typed, kept) => {
      expect(line(40).parse(typed)).toBe(kept);
      expect(line(40).parse(kept)).toBe(kept);
    },
  );

  test.each([
    ['one\r\ntwo\rthree\u2028four', 'one\ntwo\nthree\nfour'],
    ['one\n\n\n\n\ntwo', 'one\n\ntwo'],
    ['one\ttwo', 'one two'],
    ['one\n\n\u200B\n\ntwo', 'one\n\ntwo'],
  ])('clean the paragraphs %j to %j, and leave the result unchanged', (typed, kept) => {
    expect(prose(40).parse(typed)).toBe(kept);
    expect(prose(40).parse(kept)).toBe(kept);
  });

  test.each(['', ' \n', '\u200B\u2060', '\u3164', '\u115F', '\u0000', '\u0301', '\uD800'])(
    'reject %j as empty',
    (typed) => {
      expect(line(40).safeParse(typed).error?.issues[0]?.message).toBe('Field cannot be empty');
    },
  );

  test('count code points and name the maximum in the message', () => {
    expect(line(3).safeParse('😀😀😀').success).toBe(true);
    expect(line(3).safeParse('abcd').error?.issues[0]?.message).toBe('Use at most 3 characters');
  });

  test('name the maximum to a text that is far too long in a field that may be empty', () => {
    const career = { positions: [], city: 'a'.repeat(5_000), cityId: null, country: 'NG', helps: [], version: 'any' };
    expect(CareerDocument.safeParse(career).error?.issues[0]?.message).toBe('Use at most 80 characters');
  });

  test('reject a text that is far too long before normalizing it', { tags: ['asvs-1.3.3'] }, () => {
    // NFC normalization of these marks takes quadratic time.
    const marks = 'a' + '\u0301\u0316'.repeat(500_000);
    for (const schema of [Email, line(80), prose(400), handle]) expect(schema.safeParse(marks).success).toBe(false);
  });
});

test(
  'all endpoints reject unknown query parameters and body fields',
  { tags: ['spec-3.21', 'spec-6.2', 'asvs-1.5.2', 'asvs-2.2.1', 'asvs-15.3.3', 'asvs-15.3.6'] },
  () => {
    for (const [name, endpoint] of Object.entries<Endpoint>(endpoints)) {
      for (const part of ['query', 'body'] as const) {
        const codes = endpoint[part]?.safeParse({ isAdmin: true }).error?.issues.map(({ code }) => code);
        if (endpoint[part]) expect(codes, `${name}: ${part}`).toContain('unrecognized_keys');
      }
    }
    const nested = { name: { first: '', middle: '', last: '', role: 'admin' } };
    expect(ProfileDocument.safeParse(nested).error?.issues).toContainEqual(
      expect.objectContaining({ code: 'unrecognized_keys', path: ['name'] }),
    );
  },
);
