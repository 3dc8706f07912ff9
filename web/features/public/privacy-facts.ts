import type { LoaderFunctionArgs } from 'react-router';
import type { PrivacyFacts } from '#contract/institution.ts';
import { loaderServices } from '#web/platform/loader-services.ts';

export const privacyLoader = ({ context }: LoaderFunctionArgs): Promise<PrivacyFacts> =>
  context.get(loaderServices).call('GET /api/institution/privacy');
