import { basename, join } from 'node:path';
import type { EmbeddedServer } from '#server/platform/embedded-postgres/server.ts';
import { isOutboxPageEnabled } from '#server/platform/mail/outbox-routes.ts';
import type { Settings } from './settings.ts';

export function summarise({ config, institution, folder }: Settings, embedded: EmbeddedServer | null): string {
  const database = embedded
    ? `embedded PostgreSQL ${embedded.version}${embedded.isAdopted ? ', adopted from a killed process' : ''}`
    : 'PostgreSQL at DATABASE_URL';
  let mails = `written to ${join(config.dataDir, 'outbox')}; set SMTP_URL to send them`;
  if (isOutboxPageEnabled(config))
    mails = `not sent; read them at ${config.http.publicUrl}/dev/mail (set SMTP_URL to send them)`;
  if (config.mail.smtpUrl !== null) mails = `sent through ${new URL(config.mail.smtpUrl).host} as ${config.mail.from}`;
  return [
    `Ready    ${config.http.publicUrl}${config.workers > 1 ? ` (${config.workers} processes)` : ''}`,
    `Data     ${folder.path} (${database}${config.objectStore ? `, pictures in ${config.objectStore.location}` : ''}${folder.movedReason ? `; here because ${folder.movedReason}` : ''})`,
    `Mails    ${mails}`,
    ...(institution.privacy.controller === undefined
      ? [
          `Privacy  the privacy page does not name who is responsible for the data; set privacy.controller in ${basename(config.institutionFile)}`,
        ]
      : []),
    `Stop     press Ctrl-C`,
  ].join('\n');
}
