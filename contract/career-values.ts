/* A separate module, so that pages do not load the schemas of the endpoints. */

/** Fields of work: the sections of ISIC Rev. 5. Stored as words, because the letters J to V differ from Rev. 4. */
export const workFields = {
  agriculture: 'Agriculture, forestry and fishing',
  mining: 'Mining, oil and gas',
  manufacturing: 'Manufacturing',
  energy: 'Electricity and gas supply',
  water: 'Water supply and waste',
  construction: 'Construction',
  trade: 'Wholesale and retail trade',
  transport: 'Transport and storage',
  hospitality: 'Hotels and restaurants',
  media: 'Publishing, broadcasting and content',
  computing: 'Software, IT and telecommunications',
  finance: 'Finance and insurance',
  'real-estate': 'Real estate',
  professions: 'Law, engineering, science and consulting',
  support: 'Administrative and support services',
  government: 'Public administration and defence',
  education: 'Education',
  health: 'Health and social work',
  arts: 'Arts, sports and recreation',
  services: 'Other services',
  households: 'Private households',
  international: 'International organizations',
} as const;
export type WorkField = keyof typeof workFields;
export const workFieldNames = Object.keys(workFields) as [WorkField, ...WorkField[]];

/** What a person is willing to help with, in the order of the bits of `listings.helps`. */
export const helpKinds = ['advice', 'internship', 'referral', 'talk'] as const;
export type HelpKind = (typeof helpKinds)[number];

export const helpLabels: Readonly<Record<HelpKind, string>> = {
  advice: 'Advice',
  internship: 'Internships',
  referral: 'Referrals',
  talk: 'Talks',
};

/** Answers to "What do you do now?". They are only counted, for the tracer report. */
export const activities = {
  working: 'Working',
  'self-employed': 'Self-employed',
  studying: 'Studying',
  seeking: 'Looking for work',
  other: 'Something else',
} as const;
export type Activity = keyof typeof activities;
export const activityNames = Object.keys(activities) as [Activity, ...Activity[]];

export const isAtWork = (activity: Activity): boolean => activity === 'working' || activity === 'self-employed';

export const maxPositions = 5;

/** Counts of a list stop here. */
export const maxCountedPeople = 10_000;

/** Guests see no count of a place below this number of people. The tracer report shows no smaller number. */
export const minShownPeople = 5;
