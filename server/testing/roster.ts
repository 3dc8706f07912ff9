import type { ClaimInput, RosterEntry } from '#server/domain/roster/claim-input.ts';

export const createEntry = (values: Partial<RosterEntry> = {}): RosterEntry => ({
  id: 1,
  matricKey: 'CSC150012',
  lastName: 'ADEYEMI',
  firstName: 'SADE',
  otherNames: 'OLUFUNKE',
  gender: 'female',
  birthDate: '1995-04-12',
  department: 'Computer Science',
  yearAdmitted: 2015,
  yearGraduated: 2019,
  email: null,
  status: 'graduate',
  needsStaff: false,
  ...values,
});

export const createClaim = (values: Partial<ClaimInput> = {}): ClaimInput => ({
  matricNumber: 'CSC/15/0012',
  dob: '1995-04-12',
  firstName: 'Ṣadé',
  otherNames: 'Olúfúnkẹ́',
  lastName: 'Adéyẹmí',
  gender: 'female',
  department: 'Computer Science',
  yearAdmitted: 2015,
  yearGraduated: 2019,
  ...values,
});
