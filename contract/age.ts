/**
 * Whether a person has reached an age. A birthday counts once its day has begun everywhere on earth (UTC-12), so that no time zone makes
 * anyone older than they are.
 * @param dob date of birth, `YYYY-MM-DD`
 */
export const hasReachedAge = (dob: string, age: number, now: Date): boolean => dob <= getLatestDob(age, now);

/** The date of birth of the youngest people who have reached an age, `YYYY-MM-DD`; not always a day of the calendar (29 February). */
export function getLatestDob(age: number, now: Date): string {
  const today = new Date(now.getTime() - 12 * 60 * 60 * 1000).toISOString().slice(0, 'YYYY-MM-DD'.length);
  return String(Number(today.slice(0, 4)) - age).padStart(4, '0') + today.slice(4);
}
