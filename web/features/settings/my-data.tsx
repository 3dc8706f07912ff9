import { toWireRequest } from '#contract/call.ts';
import { Group } from './group.tsx';

/** Links to a download of all data of the user. A plain link works without JavaScript. */
export function MyData({ uid }: { uid: string }) {
  const { url } = toWireRequest('GET /api/users/{id}/export', { params: { id: uid } });
  return (
    <Group
      heading="My data"
      hint="Everything that the archive stores about you in one ZIP file: your profile (also as a contact card for address books), your pictures and your account data. Keep the file where only you can read it."
    >
      <a
        href={url}
        download
        className="inline-flex min-h-11 items-center justify-center gap-2 justify-self-start rounded-control border border-line-strong bg-raised px-4 py-2 font-semibold text-ink smooth hover:border-ink-soft hover:bg-wash"
      >
        Download my data
      </a>
    </Group>
  );
}
