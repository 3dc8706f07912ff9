import { placeholderPrefix } from '#contract/institution.ts';
import { isLocal } from '#server/platform/config/config.ts';
import { readInstitution } from '#server/domain/read-institution.ts';
import product from '../../package.json' with { type: 'json' };
import { type Check, fail, ok, warn } from './check.ts';

/** Checks the settings beyond what every start checks. */
export const configurationChecks: readonly Check[] = [
  {
    about: 'version',
    run: async () => ok(`${product.version}, Node ${process.versions.node}, on ${process.platform} ${process.arch}.`),
  },
  {
    about: 'NODE_ENV',
    run: async ({ config }) =>
      config.isProduction || isLocal(config)
        ? ok(config.isProduction ? 'production.' : 'not production: fine for a trial on this machine.')
        : warn(
            'The address is public and NODE_ENV is not production, so requests are not logged. Set NODE_ENV=production.',
          ),
  },
  {
    about: 'PUBLIC_URL',
    run: async ({ config }) => {
      const { publicUrl } = config.http;
      if (isLocal(config) && config.isProduction)
        return warn(
          `${publicUrl} is this machine alone: links in mails lead nowhere. Set PUBLIC_URL to what people type.`,
        );
      return isLocal(config) || publicUrl.startsWith('https:')
        ? ok(`${publicUrl}.`)
        : fail(`${publicUrl} is not encrypted: passwords can be read on the way. Set it to an address with https.`);
    },
  },
  {
    about: 'TRUST_PROXY',
    run: async ({ config }) => {
      const { trustProxy, publicUrl } = config.http;
      if (trustProxy.some((network) => network.endsWith('/0')))
        return fail('Everybody counts as a proxy and can say any address of themselves. Name the proxy alone.');
      if (trustProxy.length > 0) return ok(`${trustProxy.join(', ')}.`);
      // The product does not terminate TLS, so with https a proxy does.
      return publicUrl.startsWith('https:')
        ? fail(
            'There is a proxy in front and TRUST_PROXY is not set: all visitors count as one, and lock each other out. Set it to the proxy’s address, e.g. TRUST_PROXY=127.0.0.1.',
          )
        : ok('no proxy.');
    },
  },
  {
    about: 'MAIL_FROM',
    run: async ({ config }) => {
      const domain = /@([^\s<>@]+)>?$/u.exec(config.mail.from)?.[1]?.toLowerCase() ?? '';
      const host = new URL(config.http.publicUrl).hostname;
      const isRelated = host === domain || host.endsWith(`.${domain}`) || domain.endsWith(`.${host}`);
      return isRelated || isLocal(config)
        ? ok(`${config.mail.from}.`)
        : warn(
            `Mails come from ${domain}, and their links lead to ${host}. Spam filters distrust that. Set MAIL_FROM to an address of the same domain.`,
          );
    },
  },
  {
    about: 'privacy page',
    run: async ({ config }) => {
      const { privacy } = readInstitution(config.institutionFile);
      const open = Object.entries(privacy)
        .filter(([, texts]) => [texts].flat().some((text) => String(text).startsWith(placeholderPrefix)))
        .map(([name]) => `privacy.${name}`);
      return open.length === 0
        ? ok('has all texts of the university.')
        : warn(
            `It shows placeholders. Write ${open.join(', ')} in ${config.institutionFile}, and restart the product.`,
          );
    },
  },
];
