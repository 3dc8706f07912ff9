import { useLoaderData } from 'react-router';
import { deleteKeptCode, keepCode } from '#web/domain/kept-code.ts';
import { paths, withParam } from '#web/domain/paths.ts';
import { useRootData } from '#web/domain/root-data.ts';
import { Button, ButtonLink } from '#web/ui/button.tsx';
import type { PageForm } from '#web/ui/use-form.ts';
import { CodeField, UseCodeButton } from './code-form.tsx';
import type { JoinData } from './loaders.ts';
import { ResultNote } from './result-note.tsx';
import { joinForm } from './forms.ts';
import { useMembershipForm } from './use-membership-form.ts';

/** The page is the same for all codes, and says nothing about the person on the slip. */
export function JoinPage() {
  const { code, next, isConfirmed } = useLoaderData<JoinData>();
  const { user, institution } = useRootData();
  const form = useMembershipForm(joinForm);
  const { error: codeError } = form.field('code');
  return (
    <div className="page grid max-w-[44rem] justify-items-start gap-5">
      <h1 className="text-2xl font-bold lg:text-3xl">{code === '' ? 'Type your code' : 'Use your code'}</h1>
      {code === '' ? (
        <TypedCode form={form} />
      ) : (
        <>
          <p className="rounded-control border border-line-strong bg-raised px-4 py-2 text-xl font-bold tracking-widest nums">
            <span className="sr-only">Your code: </span>
            {format(code)}
          </p>
          {!user ? (
            <>
              <p>
                This is the alumni archive of {institution.name}: find the people you studied with, and be found by
                them. Your code confirms that you studied here.
              </p>
              <ol className="grid list-decimal gap-1 pl-5">
                <li>Sign up with your email address, or sign in.</li>
                <li>Fill in your profile.</li>
                <li>Use the code. This device remembers it for 7 days. Keep the slip until you have used it.</li>
              </ol>
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
            <form method="post" className="grid gap-4" {...form.props}>
              <input type="hidden" name="code" value={code} />
              <p>
                You are signed in as <strong className="wrap-anywhere">{user.displayName}</strong> ({user.email}). A
                code works once. If this is not your account, log out first.
              </p>
              <UseCodeButton form={form} />
              <ResultNote result={codeError === undefined ? form.result : { formError: codeError }} />
            </form>
          )}
        </>
      )}
    </div>
  );
}

function TypedCode({ form }: { form: PageForm }) {
  return (
    <form method="post" className="grid gap-4" {...form.props}>
      <p>It is on your slip, in a letter or in an email from the alumni office.</p>
      <CodeField form={form} />
      <Button type="submit" name="intent" value="open" className="justify-self-start">
        Continue
      </Button>
    </form>
  );
}

const format = (code: string): string => code.replaceAll(/[ -]/gu, '').replaceAll(/.{4}(?=.)/gu, '$&-');
