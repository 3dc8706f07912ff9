import { type LoaderFunctionArgs, redirect } from 'react-router';
import type { Call } from '#contract/call.ts';
import type { Card } from '#contract/directory.ts';
import type { User } from '#contract/identity.ts';
import type { Claimant, Membership } from '#contract/membership.ts';
import { findUser, requireOnboarded } from '#web/domain/guards.ts';
import { paths } from '#web/domain/paths.ts';
import { nextStep } from '#web/domain/root-data.ts';
import { problemOf } from '#web/platform/api.ts';
import { loaderServices } from '#web/platform/loader-services.ts';
import { throwNotFound, throwUnavailable } from '#web/platform/route-errors.ts';

export interface ConfirmData {
  readonly membership: Membership;
  readonly classmates: readonly Card[];
}

/**
 * Throws the 404 page if the archive does not have what the call asks for, as in the mode `open`, or if the code is not
 * valid (400), and otherwise the 503 page. Only members vouch: other users are redirected to the page to confirm that they studied here.
 */
function throwPage(error: unknown): never {
  const { status } = problemOf(error);
  if (status === 403) throw redirect(paths.confirm);
  return status === 404 || status === 400 ? throwNotFound() : throwUnavailable();
}

/** @throws the 404 page in the mode `open` */
export async function confirmLoader(args: LoaderFunctionArgs): Promise<ConfirmData> {
  const user = await requireOnboarded(args);
  const { call } = args.context.get(loaderServices);
  const membership = await call('GET /api/membership').catch(throwPage);
  return { membership, classmates: membership.status === 'confirmed' ? await findClassmates(call, user) : [] };
}

const maxClassmates = 8;

/** The page shows the confirmation also when the directory fails. */
async function findClassmates(call: Call, { uid, department, yearGraduated: year }: User): Promise<readonly Card[]> {
  if (!department || !year) return [];
  const filters = { department, graduatedFrom: year, graduatedTo: year };
  // One more, because the member is one of them.
  const query = { ...filters, limit: maxClassmates + 1 };
  const { items } = await call('GET /api/users', { query }).catch(() => ({ items: [] }));
  return items.filter(({ id }) => id !== uid).slice(0, maxClassmates);
}

export interface JoinData {
  readonly code: string;
  /** Null for a signed-out visitor or if no step is missing. */
  readonly next: string | null;
  readonly isConfirmed: boolean;
}

/**
 * The page is the same for all codes.
 * @throws the 404 page in the mode `open`
 */
export async function joinLoader(args: LoaderFunctionArgs): Promise<JoinData> {
  await requireConfirmedMode(args);
  const user = await findUser(args);
  const code = (args.params['code'] ?? '').toUpperCase();
  if (!/^[0-9A-Z -]{0,40}$/u.test(code)) throwNotFound();
  return { code, next: user && nextStep(user), isConfirmed: user?.membership?.status === 'confirmed' };
}

/** @throws the 404 page in the mode `open` */
export async function requireConfirmedMode(args: LoaderFunctionArgs): Promise<null> {
  const user = await findUser(args);
  if (user) return user.membership ? null : throwNotFound();
  // The API answers guests with “not-found” or “auth/unauthenticated”. In the browser the latter would end the session.
  if (!import.meta.env.SSR) return null;
  await args.context
    .get(loaderServices)
    .call('GET /api/membership')
    .catch((error: unknown) => (problemOf(error).status === 401 ? null : throwPage(error)));
  return null;
}

const refuse = (error: unknown): null => (problemOf(error).status === 403 ? null : throwPage(error));

export interface VouchData {
  readonly code: string;
  /** Null if the user is not a confirmed member and may not see the person. */
  readonly claimant: Claimant | null;
}

/** @throws the 404 page if the link does not work */
export async function vouchLoader(args: LoaderFunctionArgs): Promise<VouchData> {
  await requireOnboarded(args);
  const { call } = args.context.get(loaderServices);
  const { code = '' } = args.params;
  const claimant = await call('GET /api/membership/vouch-links/{code}', { params: { code } }).catch(refuse);
  return { code, claimant };
}
