import { isLocal } from '#server/platform/config/config.ts';
import { findMissingPrivacyTexts, readInstitution } from '#server/domain/read-institution.ts';
import product from '../../package.json' with { type: 'json' };
import { type Check, fail, ok, warn } from './check.ts';

export const configurationChecks: readonly Check[] = [
  {
    name: 'version',
    run: async () => ok(`${product.version}, Node ${process.versions.node}, ${process.platform} ${process.arch}.`),
  },
  {
    name: 'NODE_ENV',
    run: async ({ config }) =>
      config.isProduction || isLocal(config)
        ? ok(config.isProduction ? 'production.' : 'Not production, which is fine for a test on this machine.')
        : warn(
            'PUBLIC_URL is a public address, but NODE_ENV is not production, so error pages show stack traces and requests are not logged. Set NODE_ENV=production.',
          ),
  },
  {
    name: 'PUBLIC_URL',
    run: async ({ config }) => {
      const { publicUrl } = config.http;
      if (isLocal(config) && config.isProduction)
        return warn(
          `${publicUrl} is only reachable on this machine, so links in emails do not work. Set PUBLIC_URL to the address that people type.`,
        );
      return isLocal(config) || publicUrl.startsWith('https:')
        ? ok(`${publicUrl}.`)
        : fail(`${publicUrl} is not encrypted, so passwords can be intercepted. Set PUBLIC_URL to an https address.`);
    },
  },
  {
    name: 'TRUST_PROXY',
    run: async ({ config }) => {
      const { trustProxy, publicUrl } = config.http;
      if (trustProxy.some((network) => network.endsWith('/0')))
        return fail(
          'Every address counts as a proxy, so visitors can forge their IP address. Set TRUST_PROXY to the address of the proxy only.',
        );
      if (trustProxy.length > 0) return ok(`${trustProxy.join(', ')}.`);
      // The server does not terminate TLS, so an https address implies a proxy.
      return publicUrl.startsWith('https:')
        ? fail(
            'PUBLIC_URL implies a proxy, but TRUST_PROXY is not set. All visitors share one rate limit and lock each other out. Set TRUST_PROXY to the address of the proxy, e.g. TRUST_PROXY=127.0.0.1.',
          )
        : ok('No proxy.');
    },
  },
  {
    name: 'MAIL_FROM',
    run: async ({ config }) => {
      const domain = /@([^\s<>@]+)>?$/u.exec(config.mail.from)?.[1]?.toLowerCase() ?? '';
      const host = new URL(config.http.publicUrl).hostname;
      const isRelated = host === domain || host.endsWith(`.${domain}`) || domain.endsWith(`.${host}`);
      return isRelated || isLocal(config)
        ? ok(`${config.mail.from}.`)
        : warn(
            `Emails are sent from ${domain}, but their links lead to ${host}. Spam filters distrust that. Set MAIL_FROM to an address of the same domain.`,
          );
    },
  },
  {
    name: 'privacy page',
    run: async ({ config }) => {
      const missing = findMissingPrivacyTexts(readInstitution(config.institutionFile));
      return missing.length === 0
        ? ok('All texts are filled in.')
        : warn(
            `The privacy page does not say everything yet. Fill in ${missing.join(', ')} in ${config.institutionFile}, and restart the server.`,
          );
    },
  },
];
