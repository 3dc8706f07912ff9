import { computeDemoCode } from '#server/seed/staff.ts';

/** Prints the code that an authenticator app of the demo's staff shows now. */
console.log(computeDemoCode());
