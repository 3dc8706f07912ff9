import { readConfig } from '#server/platform/config/config.ts';
import { openDataFolder, createDataFolder } from '#server/platform/storage/data-folder.ts';
import { copySharedKeys } from '#server/platform/crypto/copy-shared-keys.ts';
import { readInstitution } from '#server/domain/read-institution.ts';

export type Settings = ReturnType<typeof openSettings>;

export function openSettings(environment: NodeJS.ProcessEnv) {
  const config = readConfig(environment);
  const institution = readInstitution(config.institutionFile);
  const folder = config.databaseUrl === null ? openDataFolder(config.dataDir) : createDataFolder(config.dataDir);
  copySharedKeys(environment, folder.path, config.tokenSync !== null);
  return { config: { ...config, dataDir: folder.path }, institution, folder };
}
