import type { FastifyInstance } from 'fastify';
import type { Context } from '#server/domain/context.ts';
import { type MailedLink, serveMailedLink } from '#server/domain/mail/mailed-links.ts';
import { unsubscribePath } from './mails.ts';
import { findUnsubscribing, unsubscribe } from './unsubscribe.ts';

const texts: MailedLink['texts'] = {
  asking: [
    'Unsubscribe from announcements?',
    'You will no longer get announcements from the alumni office by email.',
    'Emails about your account, and messages from members, are not affected.',
  ],
  done: [
    'You are unsubscribed',
    'You will no longer get announcements from the alumni office. An announcement that is already on its way may still arrive.',
    'Emails about your account, and messages from members, are not affected. You can turn announcements on again under Privacy in the settings.',
  ],
};

export const unsubscribeRoutes = (app: FastifyInstance, context: Context): Promise<void> =>
  serveMailedLink(app, context, {
    path: unsubscribePath,
    button: 'Unsubscribe',
    texts,
    end: { label: 'Open the settings', path: '/settings?section=privacy' },
    isValid: async (code) => (await findUnsubscribing(context.db, code)) !== null,
    apply: (code) => unsubscribe(context.db, code),
  });
