import { useState } from 'react';
import { parseBlocks } from '#contract/light-format.ts';
import type { Announcement } from '#contract/staff/announcements.ts';
import type { InvitationMail } from '#contract/staff/invitations.ts';
import { LightText } from '#web/domain/light-text.tsx';
import { callApi } from '#web/platform/api.ts';
import { Section } from '../ui/section.tsx';
import { useRequest } from '../ui/use-request.ts';

/** Shows the mail as up to three of its recipients get it. Loaded again after each save. */
export function MailPreview({ one: { id, version } }: { one: Announcement }) {
  const [loaded, failure] = useRequest(`${id} ${version}`, () =>
    callApi('GET /api/staff/announcements/{id}/preview', { params: { id } }),
  );
  const [chosen, setChosen] = useState('');
  const { subject = '', previews = [] } = loaded ?? {};
  const shown = previews.find(({ id: recipient }) => recipient === chosen) ?? previews[0];
  return (
    <Section
      heading="Preview"
      hint="The email as some recipients will get it. People who hide their name get it too, but are not shown here."
    >
      {failure !== '' && <p className="text-sm text-danger">{failure}</p>}
      {previews.length > 1 && (
        <div role="group" aria-label="Recipient of the preview" className="-mx-1 flex min-w-0 flex-wrap gap-1">
          {previews.map(({ id: recipient, greeting }) => (
            <button
              key={recipient}
              type="button"
              aria-pressed={recipient === shown?.id}
              onClick={() => setChosen(recipient)}
              className="button min-h-11 max-w-full truncate rounded-full px-3 text-sm font-medium text-ink-soft hover:bg-wash aria-pressed:bg-wash aria-pressed:font-semibold aria-pressed:text-ink lg:min-h-8"
            >
              {greeting.replace(/^Dear |,$/gu, '')}
            </button>
          ))}
        </div>
      )}
      {shown ? (
        <Mail subject={subject} {...shown} />
      ) : (
        loaded && (
          <p className="border-y border-line py-6 text-ink-soft">
            There is no recipient to show. Choose another part of the institution.
          </p>
        )
      )}
    </Section>
  );
}

export function Mail({ subject, greeting, paragraphs, footer, links, sender }: InvitationMail) {
  return (
    <article className="overflow-hidden rounded-card border border-line bg-raised">
      <p className="bg-deep px-5 py-3 text-sm text-on-deep">{sender}</p>
      <div className="grid gap-4 p-5 wrap-anywhere">
        <h3 className="text-xl font-bold">{subject || 'No subject yet'}</h3>
        <p>{greeting}</p>
        <LightText blocks={parseBlocks(paragraphs.join('\n\n'))} />
        <p className="border-t border-line pt-4 text-sm text-ink-soft">
          {footer}
          {links.map((label) => (
            <span key={label} className="block underline">
              {label}
            </span>
          ))}
        </p>
      </div>
    </article>
  );
}
