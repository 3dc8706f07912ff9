import type { Institution } from '#contract/institution.ts';
import { type Config, readConfig } from './platform/config.ts';
import { type DataFolder, openDataFolder, plainDataFolder } from './platform/data-folder.ts';
import { readInstitution } from './platform/institution.ts';

/** What an environment says about an installation. */
export interface Settings {
  /** Its `dataDir` is the path of the data folder. */
  readonly config: Config;
  readonly institution: Institution;
  readonly folder: DataFolder;
}

/**
 * Reads the configuration and the institution's file, and creates the data folder if necessary.
 * @throws Error with a sentence for the operator
 */
export function openSettings(environment: NodeJS.ProcessEnv): Settings {
  const config = readConfig(environment);
  const institution = readInstitution(config.institutionFile);
  const folder = config.databaseUrl === null ? openDataFolder(config.dataDir) : plainDataFolder(config.dataDir);
  return { config: { ...config, dataDir: folder.path }, institution, folder };
}
