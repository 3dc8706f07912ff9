import type { StaffRight } from '#contract/staff-values.ts';
import type { Staff } from '../../domain/staff/guard.ts';
import type { Exchange } from '../../platform/http/mount.ts';

/** Returns the member of staff who makes a request. @throws ProblemError as `requireStaff` */
export type FindStaff = (exchange: Exchange, right: StaffRight) => Promise<Staff>;
