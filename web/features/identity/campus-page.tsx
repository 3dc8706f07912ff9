import type { ReactNode } from 'react';
import { Link, useLoaderData, useNavigate, useRevalidator } from 'react-router';
import type { User } from '#contract/identity.ts';
import { termsVersion } from '#contract/terms.ts';
import { NewPasswordFields } from '#web/domain/password-rules.tsx';
import { paths, withParam } from '#web/domain/paths.ts';
import { useRootData, useUser } from '#web/domain/root-data.ts';
import { refreshUser, setUser } from '#web/domain/session.ts';
import type { FormDefinition } from '#web/platform/form.ts';
import { Button, ButtonLink } from '#web/ui/button.tsx';
import { PasswordField } from '#web/ui/password-field.tsx';
import { type PageForm, useForm } from '#web/ui/use-form.ts';
import { AuthFrame } from './auth-frame.tsx';
import { campusConfirmForm, campusConnectForm, campusSignUpForm } from './campus-forms.ts';
import { FormResultNote } from './form-result-note.tsx';
import type { CampusData } from './loaders.ts';
import { parseLocalPath, pathAfterSignIn } from './local-path.ts';
import { TermsLine } from './terms-line.tsx';

type Next = CampusData['next'];

interface Props {
  arrival: CampusData;
  /** What people call the university. */
  office: string;
  /** Where the person came from, or the next step of the registration. */
  back: string;
}

/** Says what the university answered, and offers what the person can do next. */
export function CampusPage() {
  const arrival = useLoaderData<CampusData>();
  const office = useRootData().institution.abbreviation;
  const user = useUser();
  const back = user ? pathAfterSignIn(user, arrival.from) : (parseLocalPath(arrival.from) ?? paths.dashboard);
  const Step = steps[arrival.next] ?? Failure;
  return <Step key={arrival.next} arrival={arrival} office={office} back={back} />;
}

const steps: Partial<Record<Next, (props: Props) => ReactNode>> = {
  'sign-up': SignUp,
  'sign-in': SignIn,
  connect: Connect,
  confirm: Confirm,
  done: ({ office, back }) => (
    <AuthFrame heading={`Your ${office} account is connected`} subtitle="You can use it to sign in.">
      <ButtonLink to={back}>Continue</ButtonLink>
    </AuthFrame>
  ),
  'other-account': ({ office, back }) => (
    <AuthFrame
      heading={`Your ${office} account is not connected`}
      subtitle="It is connected with another account of the archive. To use that one, sign out first."
    >
      <ButtonLink to={back}>Continue</ButtonLink>
    </AuthFrame>
  ),
  'other-identity': ({ office, back }) => (
    <AuthFrame
      heading={`Your ${office} account is not connected`}
      subtitle={`Another ${office} account is connected with your account. Disconnect it first.`}
    >
      <ButtonLink to={securitySettings}>Security settings</ButtonLink>
      <ButtonLink variant="bare" to={back}>
        Not now
      </ButtonLink>
    </AuthFrame>
  ),
};

const securitySettings = withParam(paths.settings, 'section', 'security');

const Strong = ({ children }: { children: ReactNode }) => (
  <strong className="font-semibold text-ink wrap-anywhere">{children}</strong>
);

function useCampusForm<Data extends User | undefined>(definition: FormDefinition<Data>): PageForm<Data> {
  const navigate = useNavigate();
  const { revalidate } = useRevalidator();
  return useForm(definition, {
    hasToasts: true,
    onSent: async ({ data, goTo = paths.campus }) => {
      if (data) setUser(data);
      else await refreshUser();
      await navigate(goTo, { replace: true });
    },
    // Another step may be the next one now.
    onFailed: ({ errors }) => errors ?? revalidate(),
  });
}

function SignUp({ arrival: { email, from }, office }: Props) {
  const form = useCampusForm(campusSignUpForm);
  return (
    <AuthFrame
      heading="Create your account"
      subtitle={
        <>
          Your address is <Strong>{email}</Strong>. You can change it later.
        </>
      }
    >
      <form className="grid gap-4" method="post" {...form.props}>
        <FormResultNote result={form.posted} />
        {/* Password managers read the account name from this field. */}
        <input type="email" name="username" autoComplete="username" value={email ?? ''} readOnly hidden />
        <input type="hidden" name="terms" value={termsVersion} />
        <input type="hidden" name="from" value={from ?? ''} />
        <p>Choose a password. You need it when your {office} account ends.</p>
        <NewPasswordFields
          label="Password"
          typed={form.values['password']}
          email={email ?? undefined}
          field={form.field}
        />
        <TermsLine error={form.field('terms').error} />
        <Button type="submit" name="intent" value="sign-up" busy={form.busy('Creating...', 'sign-up')}>
          Create account
        </Button>
      </form>
      <p className="text-center">
        <Link to={withParam(paths.login, 'from', paths.campus)} className="link">
          I already have an account
        </Link>
      </p>
    </AuthFrame>
  );
}

function SignIn({ office }: Props) {
  return (
    <AuthFrame heading="You already have an account" subtitle={`Sign in, then connect your ${office} account.`}>
      <ButtonLink to={withParam(paths.login, 'from', paths.campus)}>Sign in</ButtonLink>
      <p className="text-center">
        <Link to={paths.resetPassword} className="link">
          Forgot your password?
        </Link>
      </p>
    </AuthFrame>
  );
}

function Connect({ arrival: { email }, office, back }: Props) {
  const form = useCampusForm(campusConnectForm);
  const user = useUser();
  const isPasswordNeeded = form.result?.errors?.['password'] !== undefined;
  return (
    <AuthFrame
      heading={`Connect your ${office} account`}
      subtitle="Then you can sign in with either. All your other devices are signed out."
    >
      <dl className="grid gap-3">
        <div>
          <dt className="text-sm text-ink-soft">{office} account</dt>
          <dd className="font-semibold wrap-anywhere">{email}</dd>
        </div>
        <div>
          <dt className="text-sm text-ink-soft">Account of the archive</dt>
          <dd className="font-semibold wrap-anywhere">{user?.email}</dd>
        </div>
      </dl>
      <form className="grid gap-4" method="post" {...form.props}>
        <FormResultNote result={form.posted} />
        {isPasswordNeeded && (
          <>
            <input type="email" name="username" autoComplete="username" value={user?.email ?? ''} readOnly hidden />
            <PasswordField label="Current password" autoComplete="current-password" {...form.field('password')} />
          </>
        )}
        <Button type="submit" name="intent" value="connect" busy={form.busy('Connecting...', 'connect')}>
          Connect
        </Button>
        <ButtonLink variant="bare" to={back}>
          Not now
        </ButtonLink>
      </form>
    </AuthFrame>
  );
}

const affiliationWords = { student: 'student', alum: 'graduate' };

function Confirm({ arrival: { name, affiliation }, office, back }: Props) {
  const form = useCampusForm(campusConfirmForm);
  const said = [name, affiliation && affiliationWords[affiliation]].filter(Boolean).join(', ');
  return (
    <AuthFrame
      heading="Confirm your membership"
      subtitle={
        <>
          {said && (
            <>
              {office} says: <Strong>{said}</Strong>.{' '}
            </>
          )}
          {affiliation
            ? 'If this does not agree with your profile, the alumni office checks your request.'
            : `${office} did not say that you are a student or graduate. The alumni office checks your request.`}
        </>
      }
    >
      <form className="grid gap-4" method="post" {...form.props}>
        <FormResultNote result={form.posted} />
        <Button type="submit" name="intent" value="confirm" busy={form.busy('Confirming...', 'confirm')}>
          Confirm my membership
        </Button>
        <ButtonLink variant="bare" to={back}>
          Not now
        </ButtonLink>
      </form>
    </AuthFrame>
  );
}

function Failure({ arrival: { next, email, detail, from }, office, back }: Props) {
  const isSignedIn = Boolean(useUser());
  const sentences: Partial<Record<Next, string>> = {
    cancelled: `You cancelled at ${office}.`,
    unavailable: `${office} does not answer. Use your password, or try again in a few minutes.`,
    expired: 'This took longer than 10 minutes, or began in another browser.',
    refused: `${office}’s answer could not be verified (reference ${detail}).`,
    'wrong-account': `${email} is not an ${office} account.`,
    'no-address': `${office} did not confirm your address. Use your password.`,
    'too-many-requests': 'Too many attempts. Use your password, or try again in 15 minutes.',
    disabled: detail,
  };
  return (
    <AuthFrame
      heading={isSignedIn ? `${office} did not confirm your account` : 'You are not signed in'}
      subtitle={<span className="wrap-anywhere">{sentences[next]}</span>}
    >
      <ButtonLink reloadDocument to={withParam(paths.campusStart(from), 'again', '1')}>
        Try again
      </ButtonLink>
      {isSignedIn ? (
        <ButtonLink variant="quiet" to={back}>
          Not now
        </ButtonLink>
      ) : (
        <ButtonLink variant="quiet" to={from === null ? paths.login : withParam(paths.login, 'from', from)}>
          Use your password
        </ButtonLink>
      )}
    </AuthFrame>
  );
}
