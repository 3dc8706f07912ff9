import { sql } from 'kysely';

const verificationDays = 7;

/** Returns the SQL for the time at which an unverified account is deleted. It starts again when the address changes. */
export const toVerificationDeadline = () => sql<Date>`now() + make_interval(days => ${verificationDays})`;
