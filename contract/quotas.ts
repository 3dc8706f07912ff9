export const maxPasskeysPerAccount = 20;

export const maxPhotosPerAccount = 300;

export const maxBlocksPerAccount = 500;
