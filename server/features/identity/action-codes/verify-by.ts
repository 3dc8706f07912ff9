import { sql } from 'kysely';

/** Days in which the address of a new account has to be verified. */
const verificationDays = 7;

/** When a new account, or one with another unverified address, is deleted unless its address is verified. */
export const toVerificationDeadline = () => sql<Date>`now() + make_interval(days => ${verificationDays})`;
