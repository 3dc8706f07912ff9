/**
 * Maps each PostgreSQL major version to the newest minor version at the time of this release. Update the map and
 * `knownMinorsOn` at each release from https://www.postgresql.org/support/versioning/. The minors of 14, 16 and 17 are
 * from the release of 14 May 2026, which also had 18.4 and 15.18. Versions 15 (Debian 12) and 18 have had newer
 * releases since.
 */
const knownMinors: ReadonlyMap<number, number> = new Map([
  [18, 6],
  [17, 10],
  [16, 14],
  [15, 20],
  [14, 23],
]);

export const knownMinorsOn = '2026-11-22';

/**
 * Returns the newest known version with the same major version, e.g. `18.6`. Returns null if the server is not older.
 * @param versionNumber `server_version_num`, e.g. 180004
 */
export function findNewerMinor(versionNumber: number): string | null {
  const [major, minor] = [Math.floor(versionNumber / 10_000), versionNumber % 10_000];
  const newest = knownMinors.get(major);
  return newest !== undefined && newest > minor ? `${major}.${newest}` : null;
}
