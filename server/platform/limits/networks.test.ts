import { describe, expect, test } from 'vitest';
import { networksOf } from './networks.ts';

describe('networksOf', () => {
  for (const [ip, prefixes, tags = []] of [
    ['192.0.2.7', ['192.0.2.7']],
    ['::ffff:192.0.2.7', ['192.0.2.7']],
    ['2001:db8:1:2:3:4:5:6', ['2001:db8:1:2::/64', '2001:db8:1::/56', '2001:db8:1::/48'], ['asvs-15.3.4']],
    ['2001:0db8:0001:0302::1', ['2001:db8:1:302::/64', '2001:db8:1:300::/56', '2001:db8:1::/48']],
    ['2001:db8::1', ['2001:db8::/64', '2001:db8::/56', '2001:db8::/48']],
    ['::1', ['::/64', '::/56', '::/48']],
    ['fe80::1%eth0', ['fe80::/64', 'fe80::/56', 'fe80::/48']],
    ['2001:db8:1:fffe::', ['2001:db8:1:fffe::/64', '2001:db8:1:ff00::/56', '2001:db8:1::/48']],
    // The IP address is undefined after the client has disconnected.
    [undefined, ['nowhere']],
  ] as [string | undefined, string[], string[]?][])
    test(`returns ${prefixes.join(', ')} for ${String(ip)}`, { tags }, () => {
      const networks = networksOf(ip);
      expect(networks.map(({ prefix }) => prefix)).toEqual(prefixes);
      expect(networks.map(({ limitFactor }) => limitFactor)).toEqual([1, 4, 16].slice(0, prefixes.length));
    });
});
