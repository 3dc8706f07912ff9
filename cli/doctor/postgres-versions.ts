/**
 * The newest minor version of each major version of PostgreSQL that this release of the product knows. Update it at each
 * release from https://www.postgresql.org/support/versioning/, together with `knownMinorsOn`. The numbers of 14, 16 and 17
 * are those of 14 May 2026, when 18.4 and 15.18 were released too; newer ones exist for 15 (Debian 12) and 18.
 */
export const knownMinors: ReadonlyMap<number, number> = new Map([
  [18, 6],
  [17, 10],
  [16, 14],
  [15, 20],
  [14, 23],
]);

/** The day on which the list was last updated, `YYYY-MM-DD`. */
export const knownMinorsOn = '2026-11-22';

/**
 * Returns the newest known minor version of a server's major version, e.g. `18.6`, or null when the server is at least that new.
 * @param versionNumber `server_version_num`, e.g. 180004
 */
export function newerMinor(versionNumber: number): string | null {
  const [major, minor] = [Math.floor(versionNumber / 10_000), versionNumber % 10_000];
  const newest = knownMinors.get(major);
  return newest !== undefined && newest > minor ? `${major}.${newest}` : null;
}
