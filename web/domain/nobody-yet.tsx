import { Link } from 'react-router';
import { paths } from './paths.ts';
import { useUser } from './root-data.ts';

export const NobodyYet = () =>
  useUser() ? (
    <p>Nobody has joined yet. People appear here when they have completed their profile.</p>
  ) : (
    <p>
      Nobody has joined yet.{' '}
      <Link to={paths.signUp} className="link">
        Sign up
      </Link>{' '}
      to be the first.
    </p>
  );
