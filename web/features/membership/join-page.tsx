import { Link, useLoaderData } from 'react-router';
import { deleteKeptCode, keepCode } from '#web/domain/kept-code.ts';
import { paths, withParam } from '#web/domain/paths.ts';
import { useRootData } from '#web/domain/root-data.ts';
import { Button, ButtonLink } from '#web/ui/button.tsx';
import { AsideSection, ColumnPage } from '#web/ui/column-page.tsx';
import type { PageForm } from '#web/ui/use-form.ts';
import { CodeField, UseCodeButton } from './code-form.tsx';
import type { JoinData } from './loaders.ts';
import { ResultNote } from './result-note.tsx';
import { joinForm } from './forms.ts';
import { Steps } from './steps.tsx';
import { useMembershipForm } from './use-membership-form.ts';

/** The page is the same for all codes, and says nothing about the person on the slip. */
export function JoinPage() {
  const { code, next, isConfirmed } = useLoaderData<JoinData>();
  const { user, institution } = useRootData();
  const form = useMembershipForm(joinForm);
  const isRefused = form.result?.errors?.['code'] !== undefined;
  return (
    <ColumnPage
      title={code === '' ? 'Type your code' : 'Use your code'}
      aside={<CodeHelp hasCode={code !== ''} isSignedIn={Boolean(user)} />}
    >
      {code === '' ? (
        <TypedCode form={form} />
      ) : (
        <>
          {!isRefused && (
            <p className="justify-self-start rounded-control border border-line-strong bg-raised px-4 py-2 text-xl font-bold tracking-widest nums">
              <span className="sr-only">Your code: </span>
              {format(code)}
            </p>
          )}
          {!user ? (
            <>
              <p className="max-w-[60ch]">
                This is the alumni archive of {institution.name}: find the people you studied with, and be found by
                them. Your code confirms that you studied here.
              </p>
              <Steps
                steps={[
                  { title: 'Sign up with your email address, or sign in', detail: null, state: 'current' },
                  { title: 'Fill in your profile', detail: null, state: 'open' },
                  {
                    title: 'Use the code',
                    detail: 'This device remembers it for 7 days. Keep the slip until you have used it.',
                    state: 'open',
                  },
                ]}
              />
              <p className="flex flex-wrap gap-3">
                <ButtonLink to={paths.signUp} onClick={() => keepCode(code)}>
                  Sign up
                </ButtonLink>
                <ButtonLink
                  variant="quiet"
                  to={withParam(paths.login, 'from', `/join/${encodeURIComponent(code)}`)}
                  onClick={() => keepCode(code)}
                >
                  Sign in
                </ButtonLink>
              </p>
            </>
          ) : next !== null ? (
            <>
              <p>
                First complete your registration. This device remembers the code. Keep the slip until you have used it.
              </p>
              <ButtonLink to={next} onClick={() => keepCode(code)}>
                Continue
              </ButtonLink>
            </>
          ) : isConfirmed ? (
            <>
              <p>You are a confirmed member already and do not need this code.</p>
              <ButtonLink to={paths.dashboard} onClick={deleteKeptCode}>
                Go to the dashboard
              </ButtonLink>
            </>
          ) : (
            <form method="post" className="grid max-w-[60ch] gap-4" {...form.props}>
              {isRefused ? (
                <CodeField form={form} initial={format(code)} />
              ) : (
                <input type="hidden" name="code" value={format(code)} />
              )}
              <p>
                You are signed in as <strong className="wrap-anywhere">{user.displayName}</strong>{' '}
                <span className="inline-block max-w-full">({user.email}).</span> A code works once. If this is not your
                account, log out first.
              </p>
              <UseCodeButton form={form} />
              <ResultNote result={form.result} />
            </form>
          )}
        </>
      )}
    </ColumnPage>
  );
}

const CodeHelp = ({ hasCode, isSignedIn }: { hasCode: boolean; isSignedIn: boolean }) => (
  <>
    {!hasCode && (
      <AsideSection title="Where is my code?">
        <p className="text-sm text-ink-soft">
          On your slip, in a letter or in an email from the alumni office: twelve letters and digits. It works once.
        </p>
      </AsideSection>
    )}
    <AsideSection title={hasCode ? 'The code does not work?' : 'No code?'}>
      <p className="text-sm text-ink-soft">
        The alumni office can also confirm you by the university’s list, or by documents.
        {!isSignedIn && ' Sign up first.'}
      </p>
      {isSignedIn && (
        <Link className="link flex min-h-11 items-center" to={paths.confirm}>
          See the other ways
        </Link>
      )}
    </AsideSection>
  </>
);

function TypedCode({ form }: { form: PageForm }) {
  return (
    <form method="post" className="grid gap-4" {...form.props}>
      <CodeField form={form} />
      <Button type="submit" name="intent" value="open" className="justify-self-start">
        Continue
      </Button>
    </form>
  );
}

const format = (code: string): string => code.replaceAll(/[ -]/gu, '').replaceAll(/.{4}(?=.)/gu, '$&-');
