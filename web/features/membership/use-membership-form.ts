import { useNavigate, useRevalidator } from 'react-router';
import { deleteKeptCode } from '#web/domain/kept-code.ts';
import { refreshUser } from '#web/domain/session.ts';
import type { FormDefinition, FormResult } from '#web/platform/form.ts';
import { type PageForm, useForm } from '#web/ui/use-form.ts';

export function useMembershipForm<Data>(definition: FormDefinition<Data>): PageForm<Data> {
  const { revalidate } = useRevalidator();
  const navigate = useNavigate();

  async function leave({ goTo }: FormResult<Data>, form: HTMLFormElement) {
    if (goTo === undefined) return revalidate();
    // On the page where the user types the code, the next page asks whether to use it.
    const isCodeUsed = !goTo.startsWith('/join/');
    if (isCodeUsed) deleteKeptCode();
    // The user may be a member now, and the frame of the page shows the status too.
    await refreshUser();
    await navigate(goTo, { replace: isCodeUsed });
    form.closest('details')?.removeAttribute('open');
    return focusHeading();
  }

  return useForm(definition, { onSent: leave, onFailed: revalidate });
}

/** Moves the focus because the pressed button is gone, and the page says what happens next. */
function focusHeading(): void {
  const heading = document.querySelector('h1');
  if (!heading) return;
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
  heading.scrollIntoView({ block: 'center' });
}
