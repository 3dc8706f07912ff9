import type { LoaderFunctionArgs } from 'react-router';
import { loaderServices } from '#web/platform/loader-services.ts';

export const loadFirstSteps = async ({ context }: Pick<LoaderFunctionArgs, 'context'>) =>
  (await context.get(loaderServices).call('GET /api/staff/first-steps')).steps;
