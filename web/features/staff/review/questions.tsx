import { Fragment, use, useState } from 'react';
import { toWireRequest } from '#contract/call.ts';
import { fieldLengths } from '#contract/field-lengths.ts';
import type { Problem } from '#contract/problem.ts';
import type { StaffClaim } from '#contract/staff/claims.ts';
import { messageOf } from '#web/domain/messages.ts';
import { ApiError, callApi, problemOf } from '#web/platform/api.ts';
import { Day } from '#web/ui/day.tsx';
import { toast } from '#web/ui/toasts.ts';
import { ConfirmButton } from '../ui/confirm-dialog.tsx';
import { Section } from '../ui/section.tsx';
import { OpenItem } from './decision-bar.tsx';
import { TextPanel } from './decision-panels.tsx';
import { Quote } from './facts.tsx';

interface Props {
  claim: StaffClaim;
  onChanged: () => void;
}

export function AskPanel({ claim: { id }, onChanged }: Props) {
  const { texts: typed } = use(OpenItem);
  const action = 'Send the question';
  async function ask(text: string) {
    try {
      await callApi('POST /api/staff/claims/{id}/questions', { params: { id }, body: { text } });
      typed.delete(action);
      toast('success', 'Question sent');
      onChanged();
    } catch (error) {
      const problem = problemOf(error);
      toast('error', problem.errors ? 'Write 5 to 500 characters' : messageOf(problem));
    }
  }
  return (
    <TextPanel
      title="Ask the claimant"
      hint="They get your question by email, and can answer with a text and one photo or PDF. Do not write what is on the roster."
      label="Question (the claimant reads it)"
      isRequired
      maxLength={fieldLengths.questionMax}
      action={action}
      onDecide={(text) => void ask(text)}
    />
  );
}

export function Questions({ claim: { id, questions, document }, onChanged }: Props) {
  const [opened, setOpened] = useState<{ url: string; isPdf: boolean } | null>(null);
  async function open() {
    const { method, url } = toWireRequest('POST /api/staff/claims/{id}/document', { params: { id } });
    const response = await fetch(url, { method });
    if (!response.ok) throw new ApiError((await response.json()) as Problem);
    setOpened({ url: URL.createObjectURL(await response.blob()), isPdf: document === 'pdf' });
    onChanged();
  }
  return (
    <Section heading="Questions to the claimant">
      {questions.map((one) => (
        <Fragment key={one.id}>
          <Quote label={<>Question asked, {<Day of={one.askedAt} />}</>}>{one.text}</Quote>
          {one.answeredAt && (
            <Quote label={<>Answered, {<Day of={one.answeredAt} />}</>}>{one.answer || 'No text'}</Quote>
          )}
        </Fragment>
      ))}
      {opened && !opened.isPdf && (
        <img src={opened.url} alt="What the claimant sent" className="max-h-[90dvh] max-w-full justify-self-start" />
      )}
      {opened?.isPdf && (
        <a href={opened.url} download="document.pdf" className="link py-3">
          Save the PDF
        </a>
      )}
      {document && (
        <ConfirmButton
          label={`Open the ${document === 'pdf' ? 'PDF' : 'photo'}`}
          className="needs-scripts justify-self-start"
          title="Open the document?"
          action="Open it once"
          busy="Opening..."
          variant="strong"
          onConfirm={open}
        >
          <p>It can be opened once: the archive then deletes it, and records that you opened it.</p>
          <p>It stays on this page until you leave the claim.</p>
        </ConfirmButton>
      )}
    </Section>
  );
}
