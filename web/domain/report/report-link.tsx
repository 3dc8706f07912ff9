import { Link } from 'react-router';
import { useLazyComponent } from '#web/ui/use-lazy-component.ts';
import { paths } from '../paths.ts';

export function ReportLink({ id, name }: { id: string; name: string }) {
  const dialog = useLazyComponent(() => import('./report-dialog.tsx'));
  return (
    <div className="text-sm print:hidden">
      <Link
        to={paths.report('user', id)}
        rel="nofollow"
        className="inline-flex min-h-11 items-center text-ink-soft underline underline-offset-4 hover:text-ink"
        onClick={(event) => {
          if (event.ctrlKey || event.metaKey || event.shiftKey) return;
          event.preventDefault();
          dialog.open();
        }}
      >
        Report a problem
      </Link>
      {dialog.Part && <dialog.Part kind="profile" id={id} title={name} onClose={dialog.close} />}
    </div>
  );
}
