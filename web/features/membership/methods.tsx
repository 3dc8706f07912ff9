import type { ReactNode } from 'react';
import { fieldLengths } from '#contract/field-lengths.ts';
import type { Membership } from '#contract/membership.ts';
import { requiredVouches } from '#contract/vouching.ts';
import { readKeptCode } from '#web/domain/kept-code.ts';
import { paths } from '#web/domain/paths.ts';
import { useRootData } from '#web/domain/root-data.ts';
import { useHydrated } from '#web/platform/use-hydrated.ts';
import { reword } from '#web/platform/words.ts';
import { Button, ButtonLink } from '#web/ui/button.tsx';
import { DateField } from '#web/ui/date-field.tsx';
import { Day } from '#web/ui/day.tsx';
import { TextArea, TextField } from '#web/ui/field.tsx';
import { Icon } from '#web/ui/icon.tsx';
import type { IconName } from '#web/ui/icon-names.ts';
import type { PageForm } from '#web/ui/use-form.ts';
import { CodeField, UseCodeButton } from './code-form.tsx';
import type { VouchLink } from './forms.ts';
import { ResultNote } from './result-note.tsx';
import { ShareLink } from './share-link.tsx';

interface HeadProps {
  icon: IconName;
  title: string;
  summary: string;
}

const MethodHead = ({ icon, title, summary }: HeadProps) => (
  <>
    <span className="grid size-11 shrink-0 place-items-center rounded-full bg-wash">
      <Icon name={icon} />
    </span>
    <span className="min-w-0 grow">
      <h3 className="font-semibold lg:text-lg">{title}</h3>
      <span className="block text-sm text-pretty text-ink-soft">{summary}</span>
    </span>
  </>
);

interface MethodProps extends HeadProps {
  isOpen: boolean;
  children: ReactNode;
}

function Method({ isOpen, children, ...head }: MethodProps) {
  return (
    <details name="way" open={isOpen} className="group border-t border-line">
      <summary className="flex min-h-16 list-none items-center gap-3 py-3 sm:gap-4 *:first:text-brand hover:text-brand [&::-webkit-details-marker]:hidden">
        <MethodHead {...head} />
        <Icon name="chevron-down" className="size-5 shrink-0 text-ink-soft group-open:rotate-180" />
      </summary>
      <div className="grid gap-4 pt-1 pb-6 *:max-w-[60ch] sm:pl-15">{children}</div>
    </details>
  );
}

const resultOf = ({ result }: PageForm, ...intents: string[]) =>
  result && intents.includes(result.intent ?? '') ? result : undefined;

export function CampusMethod() {
  const { abbreviation } = useRootData().institution;
  return (
    <Method
      icon="graduation-cap"
      title={`Use your ${abbreviation} account`}
      summary={`${abbreviation} tells us whether you are a student or graduate`}
      isOpen={false}
    >
      <ButtonLink reloadDocument to={paths.campusStart(paths.confirm)} className="justify-self-start">
        Continue to {abbreviation}
      </ButtonLink>
    </Method>
  );
}

export function CodeMethod({ form }: { form: PageForm }) {
  const result = resultOf(form, 'code');
  const kept = useHydrated() ? readKeptCode() : null;
  return (
    <Method
      icon="mail-check"
      title="I have a code"
      summary="From a slip, a letter or an email"
      isOpen={result !== undefined || kept !== null}
    >
      <form method="post" className="grid gap-4" {...form.props}>
        <CodeField key={kept} form={form} initial={kept ?? ''} />
        <UseCodeButton form={form} />
        <ResultNote result={result} />
      </form>
    </Method>
  );
}

interface ListProps {
  membership: Membership;
  form: PageForm;
}

export const listResultOf = (form: PageForm) => resultOf(form, 'claim', 'mail-code');

export const ListMethod = ({ membership, form }: ListProps) => (
  <Method
    icon="search"
    title="Find me on the university’s list"
    summary="By matric number and date of birth"
    isOpen={listResultOf(form) !== undefined}
  >
    <ListForm membership={membership} form={form} />
  </Method>
);

export function ListForm({ membership: { claim, suggested, isWaiting, accepts }, form }: ListProps) {
  const known = isWaiting ? claim : suggested;
  return (
    <form method="post" className="grid gap-4" {...form.props}>
      <TextField
        label="Matric number"
        hint="It is on your admission letter, ID card or statement of result."
        className="max-w-64 nums"
        autoComplete="off"
        maxLength={fieldLengths.lineMax}
        {...form.field('matricNumber', known?.matricNumber)}
      />
      <DateField label="Date of birth" {...form.field('dob', known?.dob)} />
      <TextArea
        label="Note (optional)"
        hint="What helps the alumni office to find you, such as the name you had as a student."
        rows={2}
        maxLength={fieldLengths.messageMax}
        {...form.field('note')}
      />
      <div className="flex flex-wrap gap-3">
        <Button type="submit" name="intent" value="claim" busy={form.busy('Looking...', 'claim')}>
          {isWaiting ? 'Send again' : 'Find me'}
        </Button>
        {accepts.includes('roster-email') && (
          <Button
            type="submit"
            name="intent"
            value="mail-code"
            variant="quiet"
            busy={form.busy('Sending...', 'mail-code')}
          >
            Send a code to the email address on the list
          </Button>
        )}
      </div>
      <p className="text-sm text-ink-soft">
        For your safety we never say what is on the list or which field did not match. If we cannot confirm you at once,
        the alumni office checks your request.
      </p>
      <ResultNote result={listResultOf(form)} />
    </form>
  );
}

interface ClassmatesProps {
  membership: Membership;
  form: PageForm<VouchLink>;
}

export function ClassmatesMethod({ membership: { vouching }, form }: ClassmatesProps) {
  const { isAvailable, linkExpiresAt, received } = vouching;
  const link = resultOf(form, 'link');
  const created = form.result?.data;
  const head = { icon: 'users-round', title: 'Someone from my class knows me' } as const;
  if (!isAvailable)
    return (
      <div className="flex min-h-16 items-center gap-3 border-t border-line py-3 text-ink-soft sm:gap-4">
        <MethodHead {...head} summary="Opens when three members of your class are confirmed." />
      </div>
    );
  return (
    <Method
      {...head}
      summary={`Two confirmed members of your class must say that they know you: ${received}\u00A0of\u00A0${requiredVouches}\u00A0so\u00A0far`}
      isOpen={link !== undefined}
    >
      <form method="post" className="grid gap-3" {...form.props}>
        <h4 className="font-semibold">Send your personal link to two classmates</h4>
        <p className="text-ink-soft">
          Send it only to classmates who know you, from a number or account that they know. They see your name, picture,{' '}
          {reword('department')} and year.
        </p>
        {created ? (
          <ShareLink {...created} />
        ) : (
          linkExpiresAt !== null && (
            <p className="text-sm text-ink-soft">
              Your last link works until <Day of={linkExpiresAt} />. A new link replaces it.
            </p>
          )
        )}
        <ResultNote result={link} />
        {!created && (
          <Button
            type="submit"
            name="intent"
            value="link"
            className="justify-self-start"
            busy={form.busy('Creating...', 'link')}
          >
            {linkExpiresAt === null ? 'Create a link' : 'Create a new link'}
          </Button>
        )}
      </form>
    </Method>
  );
}
