export interface PackageLock {
  readonly packages: Record<
    string,
    {
      readonly version?: string;
      readonly integrity?: string;
      readonly inBundle?: boolean;
      readonly optionalDependencies?: Record<string, string>;
      resolved?: string;
      engines?: unknown;
    }
  >;
}

/**
 * Returns the packages without an SHA-512 digest, and the platform packages that are missing. A package in the tarball
 * of another one needs no digest. Platform packages are optional dependencies with an exact version.
 */
export function findIncomplete({ packages }: PackageLock): string[] {
  const incomplete: string[] = [];
  for (const [where, { version, integrity = '', inBundle, optionalDependencies = {} }] of Object.entries(packages)) {
    if (where !== '' && !inBundle && !integrity.startsWith('sha512-')) incomplete.push(`${where}@${version}`);
    for (const [name, exact] of Object.entries(optionalDependencies)) {
      const place = `node_modules/${name}`;
      if (/^\d/u.test(exact) && !packages[place] && !packages[`${where}/${place}`]) incomplete.push(`${name}@${exact}`);
    }
  }
  return incomplete;
}
