import type { ReactNode } from 'react';
import { useLoaderData, useNavigate, useRevalidator } from 'react-router';
import { termsVersion } from '#contract/terms.ts';
import { NewPasswordFields } from '#web/domain/password-rules.tsx';
import { paths, withParam } from '#web/domain/paths.ts';
import { useRootData, useUser } from '#web/domain/root-data.ts';
import { invalidateUser } from '#web/domain/session.ts';
import type { FormDefinition } from '#web/platform/form.ts';
import { Button, ButtonLink } from '#web/ui/button.tsx';
import { PasswordField, UserNameField } from '#web/ui/password-field.tsx';
import { type PageForm, useForm } from '#web/ui/use-form.ts';
import { AuthFrame } from './auth-frame.tsx';
import { FormResultNote } from './form-result-note.tsx';
import { campusConfirmForm, campusConnectForm, campusSignUpForm } from './forms.ts';
import type { CampusData } from './loaders.ts';
import { pathAfterSignIn } from './local-path.ts';
import { signInMessageOf } from './sign-in-message.ts';
import { TermsLine } from './sign-up-page.tsx';

type Step = readonly [heading: string, sentence: ReactNode, links: Record<string, string>, form?: ReactNode];

/** Says what the university answered, and offers what the person can do next. */
export function CampusPage() {
  const { next, email, name, affiliation, detail, from, problem } = useLoaderData<CampusData>();
  const office = useRootData().institution.abbreviation;
  const user = useUser();
  const loginAndBack = (path: string | null) => (path === null ? paths.login : withParam(paths.login, 'from', path));
  const back = user ? pathAfterSignIn(user, from) : loginAndBack(from);
  const notConnected = `Your ${office} account is not connected`;
  const said = [name, affiliation === 'alum' ? 'graduate' : affiliation].filter(Boolean).join(', ');
  const fail = (sentence: string, heading = `${office} did not confirm your account`): Step => [
    user ? heading : 'You are not signed in',
    sentence,
    { 'Try again': withParam(paths.campusStart(from), 'again', '1'), [user ? 'Not now' : 'Use your password']: back },
  ];
  const steps: Record<typeof next, Step> = {
    'sign-up': [
      'Create your account',
      <>
        Your address is <strong>{email}</strong>. You can change it later.
      </>,
      { 'I already have an account': loginAndBack(paths.campus) },
      <CampusForm key="sign-up" definition={campusSignUpForm} intent="sign-up" label="Create account">
        {({ field, values }) => (
          <>
            <UserNameField email={email ?? undefined} />
            <input type="hidden" name="terms" value={termsVersion} />
            <p>Choose a password. You will need it when your {office} account is closed.</p>
            <NewPasswordFields label="Password" typed={values['password']} email={email ?? undefined} field={field} />
            <TermsLine error={field('terms').error} />
          </>
        )}
      </CampusForm>,
    ],
    'sign-in': [
      'You already have an account',
      `Sign in, then connect your ${office} account.`,
      { 'Sign in': loginAndBack(paths.campus), 'Forgot your password?': paths.resetPassword },
    ],
    connect: [
      `Connect your ${office} account`,
      <>
        You are signed in as <strong>{user?.email}</strong>. Connect <strong>{email}</strong> to sign in with either.
        All other devices are signed out.
      </>,
      { 'Not now': back },
      <CampusForm key="connect" definition={campusConnectForm} intent="connect" label="Connect">
        {({ field, result }) =>
          result?.errors?.['password'] !== undefined && (
            <>
              <UserNameField email={user?.email} />
              <PasswordField label="Current password" autoComplete="current-password" {...field('password')} />
            </>
          )
        }
      </CampusForm>,
    ],
    confirm: [
      'Confirm your membership',
      <>
        {office} says: <strong>{said || 'no name or affiliation'}</strong>.{' '}
        {affiliation ? 'If your profile differs, the' : 'The'} alumni office checks your request.
      </>,
      { 'Not now': back },
      <CampusForm key="confirm" definition={campusConfirmForm} intent="confirm" label="Confirm my membership" />,
    ],
    done: [`Your ${office} account is connected`, 'You can use it to sign in.', { Continue: back }],
    'other-account': [
      notConnected,
      'It is connected to another account in the archive. To use that one, sign out first.',
      { Continue: back },
    ],
    'other-identity': [
      notConnected,
      `Another ${office} account is connected to your account. Disconnect it first.`,
      { 'Security settings': withParam(paths.settings, 'section', 'security'), 'Not now': back },
    ],
    cancelled: fail(`You cancelled the sign-in at ${office}.`),
    unavailable: fail(`${office} does not answer. Use your password, or try again in a few minutes.`),
    expired: fail('This took longer than 10 minutes, or began in another browser.'),
    refused: fail(`${office}’s answer could not be verified (reference ${detail}).`),
    'wrong-account': fail(`${email} is not an ${office} account.`),
    'no-address': fail(`${office} did not confirm your address. Use your password.`),
    problem: fail(problem ? signInMessageOf(problem) : '', `Your ${office} account was not checked`),
  };
  const [heading, sentence, links, form] = steps[next];
  return (
    <AuthFrame heading={heading} subtitle={<span className="wrap-anywhere">{sentence}</span>}>
      {form}
      {Object.entries(links).map(([label, to], at) => (
        <ButtonLink
          key={to}
          variant={at === 0 && !form ? 'strong' : 'quiet'}
          reloadDocument={to.startsWith('/auth/')}
          to={to}
        >
          {label}
        </ButtonLink>
      ))}
    </AuthFrame>
  );
}

interface FormProps {
  definition: FormDefinition;
  intent: string;
  label: string;
  children?: (form: PageForm) => ReactNode;
}

function CampusForm({ definition, intent, label, children }: FormProps) {
  const navigate = useNavigate();
  const { revalidate } = useRevalidator();
  const form = useForm(definition, {
    hasToasts: true,
    onSent: ({ goTo = paths.campus }) => {
      invalidateUser();
      return navigate(goTo, { replace: true });
    },
    // Another step may be the next one now.
    onFailed: ({ errors }) => errors ?? revalidate(),
  });
  return (
    <form className="grid gap-4" method="post" {...form.props}>
      <FormResultNote result={form.posted} />
      {children?.(form)}
      <Button type="submit" name="intent" value={intent} busy={form.busy('One moment...', intent)}>
        {label}
      </Button>
    </form>
  );
}
