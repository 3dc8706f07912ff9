import { useNavigate } from 'react-router';
import { paths } from '#web/domain/paths.ts';

interface Props {
  email: string;
  message: string;
}

/** Does not reveal whether an account exists. */
export function RefusedEmail({ email, message }: Props) {
  const navigate = useNavigate();
  // The address is passed in the history state, never in the URL.
  const createLink = (path: string, text: string) => (
    <a
      className="link"
      href={path}
      onClick={(event) => {
        event.preventDefault();
        void navigate(path, { state: { email } });
      }}
    >
      {text}
    </a>
  );
  return (
    <>
      {message}. If you already have an account, {createLink(paths.login, 'sign in')} or{' '}
      {createLink(paths.resetPassword, 'reset your password')}. Otherwise, use another address.
    </>
  );
}

export function getEmailFromState(state: unknown): string | undefined {
  const { email } = (state ?? {}) as { email?: unknown };
  return typeof email === 'string' ? email : undefined;
}
