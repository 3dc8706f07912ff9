import { describe, expect, test } from 'vitest';
import { toWire } from './call.ts';
import { endpoints } from './endpoints.ts';
import { handle } from './fields.ts';
import { documentPaths, formFields, onboardingSteps, toDocument, toForm } from './profile.ts';
import { audienceOf, audiences, choicesFor, profileFields, visibilityRules } from './visibility.ts';

describe('calls', () => {
  test('become method, URL and body; what is not set is left out', () => {
    expect(toWire('GET /api/users', { query: { department: 'A & B', college: undefined, limit: 24 } })).toEqual({
      method: 'GET',
      url: '/api/users?department=A+%26+B&limit=24',
    });
    expect(toWire('PUT /api/users/{id}', { params: { id: '../x' }, body: { a: 1 } })).toEqual({
      method: 'PUT',
      url: '/api/users/..%2Fx',
      body: { a: 1 },
    });
  });

  test('every call says what it is for', () => {
    for (const [name, { summary }] of Object.entries(endpoints)) expect(summary, name).toMatch(/^[A-Z].{10,}/u);
  });
});

describe('the profile’s two shapes', () => {
  test('are each other’s reverse', () => {
    const form = Object.fromEntries(
      formFields.map((field, index) => [field, field.startsWith('year') ? 2000 + index : `${field} value`]),
    );
    expect(toForm(toDocument(form as never))).toEqual(form);
  });

  test('the five steps hold every field once', () => {
    const fields = onboardingSteps.flatMap((step) => [...step.fields]);
    expect(fields.toSorted()).toEqual(Object.keys(documentPaths).toSorted());
    expect(onboardingSteps.map(({ heading }) => heading)).toEqual([
      'Basic Information',
      'Personal Information',
      'Academic Information',
      'Additional Information',
      'Profile Picture',
    ]);
  });
});

describe('visibility', () => {
  test('defaults are those of decision 15', () => {
    const byDefault = (audience: string) =>
      profileFields.filter((field) => audienceOf(field, {}) === audience).toSorted();
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

  test('no choice goes further than its rule', () => {
    for (const field of profileFields) {
      for (const audience of audiences) {
        const effective = audienceOf(field, { [field]: audience });
        expect(choicesFor(field)).toContain(effective);
        if (visibilityRules[field].widest === 'members') expect(effective).not.toBe('everyone');
      }
    }
    expect(profileFields.filter((field) => visibilityRules[field].widest === 'members').toSorted()).toEqual([
      'contactNumber',
      'dob',
      'email',
      'homeAddress',
      'matricNumber',
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
  ['Ada Obi', 'Ada Obi'],
  ['javascript:alert(1)', 'javascript:alert(1)'],
])('the handle %j is kept as %j', (typed, kept) => {
  expect(handle.parse(typed)).toBe(kept);
});
