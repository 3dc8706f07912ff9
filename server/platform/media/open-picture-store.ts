import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import type { PictureSizes } from './encode-picture.ts';
import { createFolderStore } from './folder-store.ts';
import { pictureFileNames } from './media.ts';
import { createObjectStore } from './object-store.ts';
import type { PictureStore } from './picture-store.ts';

export const mediaFolder = (dataDir: string): string => join(dataDir, 'media');

export const openPictureStore = (
  { objectStore, dataDir, diskReserveBytes }: Pick<Config, 'objectStore' | 'dataDir' | 'diskReserveBytes'>,
  sizes: PictureSizes,
): PictureStore =>
  objectStore
    ? createObjectStore(objectStore, pictureFileNames(sizes))
    : createFolderStore(mediaFolder(dataDir), diskReserveBytes);
