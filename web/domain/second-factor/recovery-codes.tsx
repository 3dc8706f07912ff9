import { Button } from '#web/ui/button.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { toast } from '#web/ui/toasts.ts';

/** The codes cannot be shown again, because the server stores only their digests. */
export function RecoveryCodes({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  async function copy() {
    try {
      // On pages without TLS, `navigator.clipboard` is undefined, although its type does not allow that.
      await navigator.clipboard.writeText(codes.join('\n'));
      toast('success', 'Recovery codes copied');
    } catch {
      toast('error', 'Your browser does not allow copying. Write the codes down');
    }
  }

  return (
    <Dialog onClose={onClose} title="Your recovery codes" isSticky>
      <p>
        Store these codes separately from your phone. If you lose your phone, you can sign in once with each code. The
        codes are not shown again.
      </p>
      <ul className="grid gap-1" aria-label="Recovery codes">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <div className="flex flex-wrap justify-end gap-3">
        <Button variant="quiet" onClick={() => void copy()}>
          Copy
        </Button>
        <Button onClick={onClose}>I have saved them</Button>
      </div>
    </Dialog>
  );
}
