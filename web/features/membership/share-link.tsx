import { useState } from 'react';
import { useHydrated } from '#web/platform/use-hydrated.ts';
import { reword } from '#web/platform/words.ts';
import { Button, ButtonAnchor } from '#web/ui/button.tsx';
import { Day } from '#web/ui/day.tsx';
import { TextField } from '#web/ui/field.tsx';

const message = 'Please confirm that you know me, so that I can join our alumni archive:';

export function ShareLink({ url, expiresAt }: { url: string; expiresAt: string }) {
  const [isCopied, setIsCopied] = useState(false);
  const isHydrated = useHydrated();
  const canShare = isHydrated && 'share' in navigator;

  async function copy() {
    try {
      // Without TLS, `navigator.clipboard` is undefined, although its type does not allow that.
      await navigator.clipboard.writeText(url);
      setIsCopied(true);
    } catch {
      // The link is in the field, where it can be selected.
    }
  }

  return (
    <div className="grid gap-3">
      <TextField
        label="Your link"
        hint={
          <>
            It works until <Day of={expiresAt} />, for confirmed members of your {reword('department')} who graduated in
            your year, the year before or the year after.
          </>
        }
        value={url}
        readOnly
        onFocus={({ target }) => {
          target.select();
          // Shows the start of the link instead of its end.
          target.scrollLeft = 0;
        }}
      />
      <div className="flex flex-wrap gap-3">
        {canShare && (
          // Rejected when the user closes the share sheet.
          <Button onClick={() => void navigator.share({ text: message, url }).catch(() => undefined)}>Share</Button>
        )}
        <ButtonAnchor
          variant={canShare ? 'quiet' : 'strong'}
          href={`https://wa.me/?text=${encodeURIComponent(`${message} ${url}`)}`}
          target="_blank"
          rel="noreferrer"
        >
          Share on WhatsApp
        </ButtonAnchor>
        <Button variant="quiet" onClick={() => void copy()}>
          {isCopied ? 'Copied' : 'Copy link'}
        </Button>
      </div>
    </div>
  );
}
