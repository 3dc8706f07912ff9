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
import { FormResultNote } from './form-result-note.tsx';
import { campusConfirmForm, campusConnectForm, campusSignUpForm } from './forms.ts';
import type { CampusData } from './loaders.ts';
import { parseLocalPath, pathAfterSignIn } from './local-path.ts';
import { TermsLine } from './sign-up-page.tsx';

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
  const props = { arrival, office, back };
  if (arrival.next === 'sign-up') return <SignUp {...props} />;
  if (arrival.next === 'connect') return <Connect {...props} />;
  if (arrival.next === 'confirm') return <Confirm {...props} />;
  const [heading, sentence, ...links] = describe(props, Boolean(user));
  return (
    <AuthFrame heading={heading} subtitle={<span className="wrap-anywhere">{sentence}</span>}>
      {links.map(([label, to], at) => (
        <ButtonLink key={to} variant={at === 0 ? 'strong' : 'quiet'} reloadDocument={to.startsWith('/auth/')} to={to}>
          {label}
        </ButtonLink>
      ))}
    </AuthFrame>
  );
}

const loginAndBack = withParam(paths.login, 'from', paths.campus);

type Message = readonly [heading: string, sentence: string, ...links: (readonly [label: string, to: string])[]];

function describe({ arrival, office, back }: Props, isSignedIn: boolean): Message {
  const { next, email, detail, from } = arrival;
  const notConnected = `Your ${office} account is not connected`;
  const fail = (sentence: string): Message => [
    isSignedIn ? `${office} did not confirm your account` : 'You are not signed in',
    sentence,
    ['Try again', withParam(paths.campusStart(from), 'again', '1')],
    isSignedIn
      ? ['Not now', back]
      : ['Use your password', from === null ? paths.login : withParam(paths.login, 'from', from)],
  ];
  const messages: Record<Exclude<typeof next, 'sign-up' | 'connect' | 'confirm'>, Message> = {
    'sign-in': [
      'You already have an account',
      `Sign in, then connect your ${office} account.`,
      ['Sign in', loginAndBack],
      ['Forgot your password?', paths.resetPassword],
    ],
    done: [`Your ${office} account is connected`, 'You can use it to sign in.', ['Continue', back]],
    'other-account': [
      notConnected,
      'It is connected to another account in the archive. To use that one, sign out first.',
      ['Continue', back],
    ],
    'other-identity': [
      notConnected,
      `Another ${office} account is connected to your account. Disconnect it first.`,
      ['Security settings', withParam(paths.settings, 'section', 'security')],
      ['Not now', back],
    ],
    cancelled: fail(`You cancelled the sign-in at ${office}.`),
    unavailable: fail(`${office} does not answer. Use your password, or try again in a few minutes.`),
    expired: fail('This took longer than 10 minutes, or began in another browser.'),
    refused: fail(`${office}’s answer could not be verified (reference ${detail}).`),
    'wrong-account': fail(`${email} is not an ${office} account.`),
    'no-address': fail(`${office} did not confirm your address. Use your password.`),
    'too-many-requests': fail('Too many attempts. Use your password, or try again in 15 minutes.'),
    disabled: fail(detail),
  };
  return messages[next as keyof typeof messages];
}

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

interface FormProps {
  form: Pick<PageForm, 'props' | 'posted' | 'busy'>;
  intent: string;
  label: string;
  children?: ReactNode;
}

const CampusForm = ({ form, intent, label, children }: FormProps) => (
  <form className="grid gap-4" method="post" {...form.props}>
    <FormResultNote result={form.posted} />
    {children}
    <Button type="submit" name="intent" value={intent} busy={form.busy('One moment...', intent)}>
      {label}
    </Button>
  </form>
);

const Strong = ({ children }: { children: ReactNode }) => (
  <strong className="font-semibold text-ink wrap-anywhere">{children}</strong>
);

const NotNow = ({ back }: Pick<Props, 'back'>) => (
  <ButtonLink variant="bare" to={back}>
    Not now
  </ButtonLink>
);

/** Password managers read the account name from this field. */
const UserName = ({ email }: { email: string | undefined }) => (
  <input type="email" name="username" autoComplete="username" value={email} readOnly hidden />
);

function SignUp({ arrival: { email, from }, office }: Props) {
  const form = useCampusForm(campusSignUpForm);
  const address = email ?? '';
  const subtitle = (
    <>
      Your address is <Strong>{address}</Strong>. You can change it later.
    </>
  );
  return (
    <AuthFrame heading="Create your account" subtitle={subtitle}>
      <CampusForm form={form} intent="sign-up" label="Create account">
        <UserName email={address} />
        <input type="hidden" name="terms" value={termsVersion} />
        <input type="hidden" name="from" value={from ?? ''} />
        <p>Choose a password. You will need it when your {office} account is closed.</p>
        <NewPasswordFields label="Password" typed={form.values['password']} email={address} field={form.field} />
        <TermsLine error={form.field('terms').error} />
      </CampusForm>
      <p className="text-center">
        <Link to={loginAndBack} className="link">
          I already have an account
        </Link>
      </p>
    </AuthFrame>
  );
}

function Connect({ arrival: { email }, office, back }: Props) {
  const form = useCampusForm(campusConnectForm);
  const own = useUser()?.email;
  const subtitle = (
    <>
      You are signed in as <Strong>{own}</Strong>. Connect <Strong>{email}</Strong> to sign in with either. All other
      devices are signed out.
    </>
  );
  return (
    <AuthFrame heading={`Connect your ${office} account`} subtitle={subtitle}>
      <CampusForm form={form} intent="connect" label="Connect">
        {form.result?.errors?.['password'] !== undefined && (
          <>
            <UserName email={own} />
            <PasswordField label="Current password" autoComplete="current-password" {...form.field('password')} />
          </>
        )}
      </CampusForm>
      <NotNow back={back} />
    </AuthFrame>
  );
}

const affiliationWords = { student: 'student', alum: 'graduate' };

function Confirm({ arrival: { name, affiliation }, office, back }: Props) {
  const form = useCampusForm(campusConfirmForm);
  const word = affiliation && affiliationWords[affiliation];
  const subtitle = (
    <>
      {office} says: <Strong>{[name, word].filter(Boolean).join(', ') || 'no name or affiliation'}</Strong>.{' '}
      {word ? 'If your profile differs, the' : 'The'} alumni office checks your request.
    </>
  );
  return (
    <AuthFrame heading="Confirm your membership" subtitle={subtitle}>
      <CampusForm form={form} intent="confirm" label="Confirm my membership" />
      <NotNow back={back} />
    </AuthFrame>
  );
}
