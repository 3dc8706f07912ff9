export const maxPasskeysPerAccount = 20;

export const maxPhotosPerAccount = 300;

/** Maximum number of people that one member can block. */
export const maxBlocksPerAccount = 500;
