import { directoryEndpoints } from './directory.ts';
import { identityEndpoints } from './identity.ts';
import { profileEndpoints } from './profile.ts';

/** Every call of the product: the table of contents of `/api`. */
export const endpoints = { ...identityEndpoints, ...directoryEndpoints, ...profileEndpoints };
export type Endpoints = typeof endpoints;
