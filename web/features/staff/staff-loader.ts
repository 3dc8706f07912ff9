import { type LoaderFunctionArgs, type ShouldRevalidateFunctionArgs, redirect } from 'react-router';
import type { SecondFactor } from '#contract/second-factor.ts';
import type { OwnStaff } from '#contract/staff/scope.ts';
import { requireUser } from '#web/domain/guards.ts';
import { problemOf } from '#web/platform/api.ts';
import { loaderServices } from '#web/platform/loader-services.ts';
import { throwNotFound, throwUnavailable } from '#web/platform/route-errors.ts';
import { canOpen, loadedParts } from './define-page.ts';
import { loadFirstSteps } from './office/first-steps.ts';
import { staffPages } from './staff-pages.ts';
import { staffPath } from './staff-paths.ts';

export interface StaffData {
  readonly title: string;
  readonly name: string;
  readonly staff: OwnStaff;
  /** Null while `staff.obstacle` must be removed first, and if the roles have no page. */
  readonly page: unknown;
  readonly factors: SecondFactor | null;
}

const consoleTitle = 'Staff console';

/**
 * For everyone who is not staff, and for staff without the right, the page does not exist.
 * @throws a redirect to /login for guests, and from the start page to the first page that the user has a right to
 */
export async function staffLoader(args: LoaderFunctionArgs): Promise<StaffData> {
  await requireUser(args);
  const { call } = args.context.get(loaderServices);
  const { id = null } = args.params;
  const [, , name = ''] = new URL(args.request.url).pathname.split('/');
  const page = Object.hasOwn(staffPages, name) ? staffPages[name] : undefined;
  // Both at once: the API checks the right itself.
  const loading = page && loadedParts.get(name)?.load(args, id);
  loading?.catch(() => undefined);
  const staff = await call('GET /api/staff/me').catch(throwPage);
  if (staff.obstacle !== null) {
    const factors =
      staff.obstacle === 'second-factor' ? await call('GET /api/identity/second-factor').catch(throwPage) : null;
    return { title: consoleTitle, name, staff, page: null, factors };
  }
  if (name === '') {
    if (staff.rights.includes('roles') && (await isNewArchive(args))) throw redirect(staffPath('first-steps'));
    const first = Object.entries(staffPages).find(([, page]) => canOpen(staff, page));
    if (first) throw redirect(staffPath(first[0]));
    return { title: consoleTitle, name, staff, page: null, factors: null };
  }
  if (!page || !canOpen(staff, page)) return throwNotFound();
  return { title: page.title, name, staff, page: await loading?.catch(throwPage), factors: null };
}

/** An archive is new until it has a roster. One that needs none is never new. */
const isNewArchive = async (args: LoaderFunctionArgs): Promise<boolean> =>
  (await loadFirstSteps(args).catch(throwPage)).some(({ step, isDone }) => step === 'roster' && !isDone);

/** The queue loads the items that it opens itself, so that the next one can be there already. */
export function shouldReviewLoad({
  currentUrl,
  nextUrl,
  currentParams,
  nextParams,
  defaultShouldRevalidate,
}: ShouldRevalidateFunctionArgs): boolean {
  const isOtherItem = currentParams['id'] !== nextParams['id'] && currentUrl.search === nextUrl.search;
  return isOtherItem ? false : defaultShouldRevalidate;
}

/** Throws the 404 page if the API refuses or does not find, otherwise the 503 page. Passes redirects and pages on. */
function throwPage(error: unknown): never {
  if (!(error instanceof Error)) throw error;
  const { status } = problemOf(error);
  return status === 403 || status === 404 || status === 401 ? throwNotFound() : throwUnavailable();
}
