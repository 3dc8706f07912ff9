/**
 * Returns whether a person has reached an age. A birthday counts once its day has begun in every time zone (UTC-12), so
 * that no time zone makes a person older than they are.
 * @param dob date of birth, `YYYY-MM-DD`
 * @param age in years
 */
export const hasReachedAge = (dob: string, age: number, now: Date): boolean => dob <= getLatestDob(age, now);

/**
 * Returns the date of birth of the youngest people who have reached an age, as `YYYY-MM-DD`. The result can be 29
 * February of a year without that day.
 * @param age in years
 */
export function getLatestDob(age: number, now: Date): string {
  const today = new Date(now.getTime() - 12 * 60 * 60 * 1000).toISOString().slice(0, 'YYYY-MM-DD'.length);
  return String(Number(today.slice(0, 4)) - age).padStart(4, '0') + today.slice(4);
}
