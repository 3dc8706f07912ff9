import { useState } from 'react';
import { Link, useLoaderData, useRevalidator } from 'react-router';
import type { MessagePage, MessageRecord } from '#contract/contact.ts';
import { paths, withParam } from '#web/domain/paths.ts';
import { PersonAvatar } from '#web/domain/person-avatar.tsx';
import { PersonName } from '#web/domain/person-card.tsx';
import { PeopleLinks } from '#web/domain/people-links.tsx';
import { callApi } from '#web/platform/api.ts';
import { useFocusLater } from '#web/platform/use-focus-later.ts';
import { distinctById, usePages } from '#web/platform/use-pages.ts';
import { ButtonLink } from '#web/ui/button.tsx';
import { AsideSection, ColumnPage } from '#web/ui/column-page.tsx';
import { Day } from '#web/ui/day.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { FetchFailure } from '#web/ui/fetch-failure.tsx';
import { Icon } from '#web/ui/icon.tsx';
import { MoreButton } from '#web/ui/more-button.tsx';
import type { MessagesData } from './messages-data.ts';

export function MessagesPage() {
  const loaded = useLoaderData<MessagesData>();
  const { revalidate, state } = useRevalidator();
  return (
    <ColumnPage
      title="Messages"
      intro="Who wrote to whom in the last 30 days. The archive sends messages by email and keeps no text."
      aside={
        <>
          <AsideSection title="Write to someone">
            <p className="text-sm text-ink-soft">
              Open a profile and choose “Write a message”. They see your email address only if your profile shows it.
            </p>
            <PeopleLinks />
          </AsideSection>
          <AsideSection title="Who may write to you">
            <Link className="link flex min-h-11 items-center" to={withParam(paths.settings, 'section', 'privacy')}>
              Message settings
            </Link>
          </AsideSection>
        </>
      }
    >
      {loaded.failed ? (
        <FetchFailure busy={state === 'loading'} onRetry={() => void revalidate()} />
      ) : (
        <Messages first={loaded.first} />
      )}
    </ColumnPage>
  );
}

function Messages({ first }: { first: MessagePage }) {
  const [pages, addPage] = usePages(first);
  const [isLoading, setIsLoading] = useState(false);
  const [hasFailed, setHasFailed] = useState(false);
  const focusLater = useFocusLater();
  const messages = distinctById(pages.flatMap((page) => page.messages));
  const next = pages.at(-1)?.next ?? null;

  async function showMore(after: string) {
    setIsLoading(true);
    setHasFailed(false);
    try {
      const page = await callApi('GET /api/messages', { query: { after } });
      const [firstNew] = page.messages;
      if (firstNew) focusLater(`#m-${firstNew.id} a`);
      addPage(page);
    } catch {
      setHasFailed(true);
    } finally {
      setIsLoading(false);
    }
  }

  if (messages.length === 0)
    return (
      <EmptyState
        drawing="hall"
        title="No messages yet"
        action={<ButtonLink to={paths.search}>Search for people</ButtonLink>}
      >
        Each message that you send or receive is listed here.
      </EmptyState>
    );
  return (
    <>
      <ul className="border-t border-line">
        {messages.map((message) => (
          <Row key={message.id} message={message} />
        ))}
      </ul>
      {hasFailed && next !== null && <FetchFailure onRetry={() => void showMore(next)} />}
      {!hasFailed && next !== null && (
        <MoreButton busy={isLoading} onMore={() => void showMore(next)}>
          Show older messages
        </MoreButton>
      )}
    </>
  );
}

function Row({ message: { id, isSent, person, sentAt } }: { message: MessageRecord }) {
  const { name, thumb } = person;
  return (
    <li id={`m-${id}`} className="group relative flex items-center gap-3 border-b border-line py-3 hover:bg-wash">
      <PersonAvatar
        name={name ?? '?'}
        src={thumb?.replace('/192.', '/96.') ?? null}
        className="size-11 shrink-0 text-sm"
      />
      <div className="min-w-0 grow">
        {name === null ? (
          <p>A person who is not visible to you</p>
        ) : (
          <Link className="wrap-anywhere after:absolute after:inset-0" to={paths.user(person.id)}>
            <PersonName name={name} />
          </Link>
        )}
        <p className="flex flex-wrap justify-between gap-x-4 text-sm text-ink-soft">
          <span className={`flex items-center gap-1.5 ${isSent ? '' : 'text-brand'}`}>
            <Icon name={isSent ? 'arrow-up-right' : 'arrow-down-left'} className="size-4" />
            {isSent ? 'You wrote' : 'Wrote to you'}
          </span>{' '}
          <Day of={sentAt} />
        </p>
      </div>
    </li>
  );
}
