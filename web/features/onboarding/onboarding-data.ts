import { type LoaderFunctionArgs, redirect, type ShouldRevalidateFunction } from 'react-router';
import type { InstitutionFacts } from '#contract/institution.ts';
import { requireUser } from '#web/domain/guards.ts';
import { paths } from '#web/domain/paths.ts';
import { loaderServices } from '#web/platform/loader-services.ts';
import { throwUnavailable } from '#web/platform/route-errors.ts';

/** Loads what the form needs, for a verified user without a profile. @throws a redirect for all others */
export async function onboardingLoader(args: LoaderFunctionArgs): Promise<InstitutionFacts> {
  const user = await requireUser(args);
  if (!user.emailVerified) throw redirect(paths.sendVerification);
  if (user.displayName !== null) throw redirect(paths.dashboard);
  return args.context.get(loaderServices).call('GET /api/institution').catch(throwUnavailable);
}

/**
 * A change of step loads nothing. If the URL is the same, revalidation was requested because another tab may have
 * signed in or out.
 */
export const shouldRevalidate: ShouldRevalidateFunction = ({ currentUrl, nextUrl, defaultShouldRevalidate }) =>
  (currentUrl.pathname !== nextUrl.pathname || currentUrl.search === nextUrl.search) && defaultShouldRevalidate;
