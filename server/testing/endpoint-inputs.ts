import type { CallInput } from '#contract/endpoint.ts';
import type { Endpoints } from '#contract/endpoints.ts';
import type { Assertion, Registration } from '#contract/second-factor.ts';
import { termsVersion } from '#contract/terms.ts';
import type { StaffEndpointName } from './staff-inputs.ts';

export type MemberEndpointName = Exclude<keyof Endpoints, StaffEndpointName>;

export const unknownId = '00000000-0000-4000-8000-000000000000';

const none = {};
const ofPerson = { params: { id: unknownId } } as const;
const ofProfile = { params: { kind: 'profile', id: unknownId } } as const;
const code = 'unknown-code-unknown-code-unknown-code-unkn';
const password = 'another long enough word';
const claim = { matricNumber: 'X/1', dob: '1990-01-01' };
const credential = { id: 'AAAA', rawId: 'AAAA', type: 'public-key' } as const;
const registration: Registration = {
  ...credential,
  response: { clientDataJSON: 'AAAA', attestationObject: 'AAAA' },
};
const assertion: Assertion = {
  ...credential,
  response: { clientDataJSON: 'AAAA', authenticatorData: 'AAAA', signature: 'AAAA' },
};
const document = {
  imgURL: null,
  name: { first: 'Ada', middle: '', last: 'Obi' },
  title: '',
  dob: '1990-01-01',
  gender: '',
  homeAddress: '',
  contactNumber: '',
  academic: {
    matricNumber: 'X/1',
    college: 'COSIT',
    department: 'Physics',
    program: '',
    year: { admitted: 2008, graduated: 2012 },
  },
  interest: '',
  bio: '',
  fullBio: '',
  social: { x: '', facebook: '', linkedin: '' },
};

export const endpointInputs: { readonly [Name in MemberEndpointName]: CallInput<Endpoints[Name]> } = {
  'POST /api/identity/sign-up': { body: { email: 'walk@mail.example', password, terms: termsVersion } },
  'POST /api/identity/sign-in': { body: { email: 'unknown@mail.example', password } },
  'POST /api/identity/sign-out': none,
  'GET /api/identity/session': none,
  'GET /api/identity/verification': none,
  'POST /api/identity/verification': none,
  'POST /api/identity/action-code/check': { body: { code } },
  'POST /api/identity/action-code/apply': { body: { code } },
  'POST /api/identity/password-reset': { body: { email: 'unknown@mail.example' } },
  'POST /api/identity/password-reset/confirm': { body: { code, password } },
  'POST /api/identity/reauthenticate': { body: { password: 'a wrong but long word' } },
  'POST /api/identity/email': { body: { email: 'elsewhere@mail.example' } },
  'POST /api/identity/password': { body: { password } },
  'GET /api/identity/password-policy': none,
  'POST /api/identity/password-status': { body: { password: 'short' } },
  'POST /api/identity/token': none,
  'GET /api/identity/sessions': none,
  'DELETE /api/identity/sessions/{id}': ofPerson,
  'DELETE /api/identity/sessions': none,
  'GET /api/identity/terms': none,
  'POST /api/identity/terms': { body: { terms: termsVersion } },
  'DELETE /api/identity/account': none,
  'GET /api/identity/sign-in/second-factor': none,
  'POST /api/identity/sign-in/second-factor/options': none,
  'POST /api/identity/sign-in/second-factor': { body: { code: '123456' } },
  'POST /api/identity/sign-in/passkey/options': none,
  'POST /api/identity/sign-in/passkey': { body: { passkey: assertion } },
  'GET /api/identity/second-factor': none,
  'POST /api/identity/authenticator': none,
  'POST /api/identity/authenticator/confirm': { body: { code: '123456' } },
  'DELETE /api/identity/authenticator': none,
  'POST /api/identity/recovery-codes': none,
  'POST /api/identity/passkeys/options': none,
  'POST /api/identity/passkeys': { body: { name: 'Phone', passkey: registration } },
  'DELETE /api/identity/passkeys/{id}': ofPerson,
  'GET /api/users': { query: { limit: 96 } },
  'GET /api/users/welcome': none,
  'GET /api/users/count': { query: {} },
  'GET /api/users/facets': { query: {} },
  'GET /api/users/years': { query: {} },
  'GET /api/institution': none,
  'GET /api/institution/privacy': none,
  'GET /api/users/{id}': { ...ofPerson, query: {} },
  'GET /api/users/{id}/document': ofPerson,
  'GET /api/users/{id}/unfinished': ofPerson,
  'PUT /api/users/{id}': { ...ofPerson, body: document },
  'GET /api/users/{id}/privacy': ofPerson,
  'PUT /api/users/{id}/privacy': { ...ofPerson, body: { isHidden: true, version: 'any' } },
  'GET /api/users/{id}/career': ofPerson,
  'PUT /api/users/{id}/career': {
    ...ofPerson,
    body: { positions: [], city: '', cityId: null, country: '', helps: [], version: 'any' },
  },
  'POST /api/users/{id}/career/dismissal': ofPerson,
  'GET /api/careers': { query: {} },
  'GET /api/careers/overview': { query: {} },
  'GET /api/employers': { query: { q: 'unknown' } },
  'GET /api/places': { query: { q: 'unknown' } },
  'GET /api/search': { query: { q: 'unknown' } },
  'GET /api/search/facets': { query: { q: 'unknown' } },
  'GET /api/gallery/photos': { query: {} },
  'GET /api/gallery/albums': none,
  'POST /api/gallery/photos': {
    body: { title: 'Gate', album: 'Campus', audience: 'everyone', image: 'data:image/png;base64,AAAA' },
  },
  'DELETE /api/gallery/photos/{id}': ofPerson,
  'GET /api/notifications': { query: {} },
  'POST /api/notifications/read': { body: {} },
  'GET /api/notifications/stream': none,
  'GET /api/notifications/choices': none,
  'PUT /api/notifications/choices': { body: { joined: false, 'photos-added': true } },
  'GET /api/membership': none,
  'POST /api/membership/claims': { body: claim },
  'DELETE /api/membership/claims': none,
  'POST /api/membership/answers': { body: { question: unknownId, text: 'Okafor' } },
  'POST /api/membership/codes': { body: { code: 'ABCD-EFGH-JKMN' } },
  'POST /api/membership/mailed-codes': { body: claim },
  'DELETE /api/membership/evidence': none,
  'POST /api/membership/vouch-link': none,
  'GET /api/membership/vouch-links/{code}': { params: { code } },
  'PUT /api/membership/vouch-links/{code}': { params: { code }, body: { answer: 'yes', version: 'any' } },
  'POST /api/membership/disputes': { body: { code } },
  'GET /api/users/{id}/export': ofPerson,
  'GET /api/users/{id}/disclosures': ofPerson,
  'POST /api/users/{id}/messages': { ...ofPerson, body: { text: 'Hello', shareEmail: false } },
  'GET /api/users/{id}/contact': ofPerson,
  'GET /api/messages': { query: {} },
  'GET /api/contact/choices': none,
  'PUT /api/contact/choices': { body: { takesMessages: true } },
  'GET /api/blocks': none,
  'PUT /api/blocks/{id}': ofPerson,
  'DELETE /api/blocks/{id}': ofPerson,
  'POST /api/reports/check': { body: { code } },
  'POST /api/reports': { body: { code, reason: 'other' } },
  'GET /api/reports/{kind}/{id}': ofProfile,
  'POST /api/reports/{kind}/{id}': { ...ofProfile, body: { reason: 'other', text: 'Text', email: 'one@mail.example' } },
  'POST /api/reports/confirm': { body: { code } },
  'POST /api/browser-errors': { body: { message: 'Message', stack: '' } },
};
