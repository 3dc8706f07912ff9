import { fieldLengths } from '#contract/field-lengths.ts';
import type { ClaimQuestion } from '#contract/membership.ts';
import { Button } from '#web/ui/button.tsx';
import { Day } from '#web/ui/day.tsx';
import { TextArea, TextField } from '#web/ui/field.tsx';
import type { PageForm } from '#web/ui/use-form.ts';
import { ResultNote } from './result-note.tsx';

export function Question({ question, form }: { question: ClaimQuestion; form: PageForm }) {
  const { id, text, askedAt, answer, answeredAt } = question;
  return (
    <section className="grid max-w-[60ch] gap-4">
      <div className="border-l-3 border-brand pl-4">
        <p className="whitespace-pre-line wrap-anywhere">{text}</p>
        <p className="text-sm text-ink-soft">
          Asked by the alumni office, <Day of={askedAt} />
        </p>
        {answeredAt && <p className="mt-3 whitespace-pre-line wrap-anywhere">{answer}</p>}
        {answeredAt && <p className="text-sm text-ink-soft">You answered, {<Day of={answeredAt} />}</p>}
      </div>
      {answeredAt === null && (
        <form method="post" encType="multipart/form-data" className="grid gap-4" {...form.props}>
          <input type="hidden" name="question" value={id} />
          <TextArea label="Your answer" maxLength={fieldLengths.answerMax} {...form.field('text')} />
          <TextField
            label="Photo or PDF of a document (optional)"
            hint="One JPEG, PNG, WebP or PDF of up to 5 MB. One person in the alumni office can open it, once, which deletes it. Otherwise it is deleted after 30 days."
            type="file"
            accept="image/jpeg,image/png,image/webp,application/pdf"
            className="file:mr-3 file:rounded-control file:border-0 file:bg-wash file:px-3 file:py-1 file:[font-family:inherit] file:font-semibold"
            {...form.field('document')}
          />
          <Button
            type="submit"
            name="intent"
            value="answer"
            className="sm:justify-self-start"
            busy={form.busy('Sending...', 'answer')}
          >
            Send the answer
          </Button>
          <ResultNote result={form.result?.intent === 'answer' ? form.result : undefined} />
        </form>
      )}
    </section>
  );
}
