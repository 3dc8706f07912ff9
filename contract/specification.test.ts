import { expect, test } from 'vitest';
import file from '../institution.json' with { type: 'json' };
import { Card } from './directory.ts';
import type { Endpoint } from './endpoint.ts';
import { endpoints } from './endpoints.ts';
import { PictureData } from './fields.ts';
import { User } from './identity.ts';
import { getInstitutionFacts, Institution } from './institution.ts';
import { fieldLengths } from './field-lengths.ts';
import { extraFields } from './profile-fields.ts';
import {
  Profile,
  ProfileDocument,
  formFields,
  onboardingSteps,
  createProfileFormSchema,
  toDocument,
} from './profile.ts';
import { texts } from './texts.ts';
import { resendCooldownSeconds, verifiedRedirectDelayMs } from './durations.ts';

/*
 * Texts and numbers of the specification, repeated here so that a change of the contract fails a test.
 */

const year = new Date().getUTCFullYear();

test('the validation messages match section 5 of the specification', { tags: ['spec-5.4'] }, () => {
  expect(texts).toEqual({
    emailInvalid: 'Please enter a valid email address',
    emailRequired: 'Email is required',
    empty: 'Field cannot be empty',
    passwordShort: 'Password cannot be less than six characters',
    passwordLong: 'Password cannot be more than hundred character',
    passwordsDiffer: 'Passwords does not match',
  });
});

test(
  'the constants match section 9 of the specification',
  { tags: ['spec-9.1', 'spec-9.2', 'spec-9.6', 'spec-9.7', 'spec-9.8', 'spec-9.9'] },
  () => {
    expect(fieldLengths).toMatchObject({ passwordMin: 6, passwordMax: 100, fullBioMax: 400, matricNumberShown: 11 });
    expect(onboardingSteps).toHaveLength(5);
    expect(verifiedRedirectDelayMs).toBe(5000);
    expect(resendCooldownSeconds).toBe(179);
  },
);

const form = {
  firstName: 'Adé',
  middleName: 'Chidi',
  lastName: 'Ọláwálé',
  title: 'mr.',
  dob: '1993-04-12',
  gender: 'male',
  homeAddress: '12 Unity Close',
  contactNumber: '+234 801 234 5678',
  matricNumber: '20110294001X',
  college: 'COSIT',
  department: 'Computer Science',
  program: 'B.Sc',
  yearAdmitted: 2011,
  yearGraduated: 2015,
  interest: 'Chess',
  bio: 'Teacher in Lagos',
  fullBio: 'I teach.',
  xHandle: 'olaabi',
  facebookName: 'ola.abi',
  linkedinName: 'ola-abi',
  imgURL: 'data:image/jpeg;base64,/9j/4AAQ',
};

test(
  'the onboarding collects the fields of section 3 of the specification',
  { tags: ['spec-3.2', 'spec-3.4', 'spec-3.6', 'spec-3.7', 'spec-3.8', 'spec-3.9', 'spec-3.10'] },
  () => {
    // The specification does not mention the extra fields, and the onboarding does not have them.
    const extra = new Set<string>(extraFields);
    expect(formFields.filter((field) => !extra.has(field)).toSorted()).toEqual(Object.keys(form).toSorted());
    expect(onboardingSteps.flatMap(({ fields }) => [...fields]).toSorted()).toEqual(Object.keys(form).toSorted());
  },
);

test(
  'the profile document has the stored shape of section 3 of the specification',
  {
    tags: [
      'spec-3.12',
      'spec-3.13',
      'spec-3.14',
      'spec-3.15',
      'spec-3.17',
      'spec-3.18',
      'spec-3.19',
      'spec-3.20',
      'spec-3.21',
      'spec-7.15',
    ],
  },
  () => {
    const stored = {
      imgURL: 'data:image/jpeg;base64,/9j/4AAQ',
      name: { first: 'Adé', middle: 'Chidi', last: 'Ọláwálé' },
      title: 'mr.',
      dob: '1993-04-12',
      gender: 'male',
      homeAddress: '12 Unity Close',
      contactNumber: '+234 801 234 5678',
      academic: {
        matricNumber: '20110294001X',
        college: 'COSIT',
        department: 'Computer Science',
        program: 'B.Sc',
        year: { admitted: 2011, graduated: 2015 },
      },
      interest: 'Chess',
      bio: 'Teacher in Lagos',
      fullBio: 'I teach.',
      social: { x: 'olaabi', facebook: 'ola.abi', linkedin: 'ola-abi' },
    };
    expect(toDocument(form)).toEqual(stored);
    expect(ProfileDocument.parse(stored)).toEqual(stored);
    const read = { ...stored, id: crypto.randomUUID(), email: 'ade@mail.example', schoolLabel: 'OUE', label: 'Alum' };
    expect(Profile.parse(read)).toEqual(read);
  },
);

test(
  'the user and the card have the fields of sections 3 and 6 of the specification',
  { tags: ['spec-3.22', 'spec-3.30', 'spec-6.1', 'spec-6.2'] },
  () => {
    // After the fields of the specification, those that the pages need. None of them is a role: `isStaff` only shows a
    // link (D27).
    expect(Object.keys(User.shape)).toEqual([
      'uid',
      'email',
      'emailVerified',
      'displayName',
      'imgURL',
      'department',
      'yearGraduated',
      'unread',
      'membership',
      'isStaff',
    ]);
    expect(Object.keys(Card.shape)).toEqual([
      'id',
      'thumb',
      'name',
      'department',
      'schoolLabel',
      'yearGraduated',
      'matricNumber',
      'label',
    ]);
    expect(Card.shape.label.safeParse('Alum').success).toBe(true);
    expect(Card.shape.label.safeParse('Admin').success).toBe(false);
  },
);

test(
  'the onboarding fields follow the rules of section 5 of the specification',
  {
    tags: [
      'spec-3.3',
      'spec-3.5',
      'spec-5.15',
      'spec-5.16',
      'spec-5.17',
      'spec-5.18',
      'spec-5.19',
      'spec-5.20',
      'spec-5.21',
      'spec-5.22',
      'spec-5.23',
      'spec-5.24',
      'spec-5.25',
      'spec-5.26',
      'spec-9.3',
      'spec-9.4',
      'spec-9.5',
      'asvs-2.1.1',
    ],
  },
  () => {
    const { shape } = createProfileFormSchema(getInstitutionFacts(Institution.parse(file), new Date()));
    const takes = (field: keyof typeof shape, value: unknown) => {
      const { success, error } = shape[field].safeParse(value);
      if (!success) expect(error.issues[0]?.message, field).toBe('Field cannot be empty');
      return success;
    };
    const { imgURL: picture, ...fields } = form;
    for (const [field, value] of Object.entries(fields) as [keyof typeof fields, unknown][]) {
      expect(takes(field, value), field).toBe(true);
      expect(takes(field, ''), field).toBe(false);
    }
    // A missing picture has the same message as the other fields.
    expect([takes('imgURL', picture), takes('imgURL', 'data:text/html;base64,PGI+')]).toEqual([true, false]);
    expect(PictureData.safeParse(null).error?.issues[0]?.message).toBe('Field cannot be empty');

    const choices = {
      title: ['mr.', 'miss', 'mrs.'],
      gender: ['male', 'female'],
      college: ['COSIT', 'COHUM', 'COSPED', 'COVTED'],
      program: ['B.Ed', 'B.Sc'],
    };
    for (const [field, allowed] of Object.entries(choices) as [keyof typeof choices, string[]][]) {
      for (const value of allowed) expect(takes(field, value), value).toBe(true);
      const [first = ''] = allowed;
      const spellings = [first.toUpperCase(), first.toLowerCase(), `${first} `].filter((value) => value !== first);
      for (const value of ['dr.', 'other', 'COSMAS', 'B.A', ...spellings])
        expect(takes(field, value), `${field} ${value}`).toBe(false);
    }
    for (const field of ['yearAdmitted', 'yearGraduated'] as const)
      expect([1989, 1990, year, year + 1, '1990', 'soon'].map((value) => takes(field, value))).toEqual([
        false,
        true,
        true,
        false,
        true,
        false,
      ]);
    expect([takes('fullBio', 'x'.repeat(400)), takes('fullBio', 'x'.repeat(401))]).toEqual([true, false]);
  },
);

test(
  'the API has the calls of section 7 of the specification',
  { tags: ['spec-7.1', 'spec-7.2', 'spec-7.3', 'spec-7.4', 'spec-7.7', 'spec-7.8', 'spec-7.13'] },
  () => {
    const calls: Record<string, Endpoint> = endpoints;
    const bodyOf = (name: string) =>
      Object.keys((calls[name]?.body as { shape?: object } | undefined)?.shape ?? {}).toSorted();
    expect(bodyOf('POST /api/identity/sign-in')).toEqual(['email', 'password']);
    expect(bodyOf('POST /api/identity/sign-up')).toEqual(['email', 'password', 'terms']);
    expect(bodyOf('POST /api/identity/password-reset')).toEqual(['email']);
    expect(bodyOf('POST /api/identity/action-code/check')).toEqual(['code']);
    expect(bodyOf('POST /api/identity/password-reset/confirm')).toEqual(['code', 'password']);
    expect(bodyOf('POST /api/identity/reauthenticate')).toEqual(['password']);
    expect(bodyOf('POST /api/identity/email')).toEqual(['email']);
    expect(bodyOf('POST /api/identity/password')).toEqual(['password']);
    for (const name of [
      'POST /api/identity/verification',
      'GET /api/identity/session',
      'POST /api/identity/sign-out',
      'PUT /api/users/{id}',
      'GET /api/users',
      'GET /api/users/{id}',
    ])
      expect(calls, name).toHaveProperty([name]);
  },
);
