import type { LoaderFunctionArgs } from 'react-router';
import type { PrivacyFacts } from '#contract/institution.ts';
import { access } from '../../platform/context.ts';

/** What the privacy page prints of the institution. */
export const privacyLoader = ({ context }: LoaderFunctionArgs): Promise<PrivacyFacts> =>
  context.get(access).call('GET /api/institution/privacy');
