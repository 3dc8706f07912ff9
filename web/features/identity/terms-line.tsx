import { Link } from 'react-router';
import { termsVersion } from '#contract/terms.ts';
import { paths } from '#web/domain/paths.ts';
import { Day } from '#web/ui/day.tsx';

export const TermsLine = ({ error }: { error: string | undefined }) => (
  <>
    <p className="text-sm text-ink-soft">
      By signing up you accept the{' '}
      <Link to={paths.terms} className="link">
        terms and conditions
      </Link>{' '}
      of <Day of={termsVersion} /> and the{' '}
      <Link to={paths.privacy} className="link">
        privacy policy
      </Link>
      .
    </p>
    {error && (
      <p role="alert" className="text-sm text-danger">
        {error}
      </p>
    )}
  </>
);
