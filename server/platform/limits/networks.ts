import ipaddr from 'ipaddr.js';

/** A network of a visitor, as limits and budgets count it. */
export interface Network {
  /** Such as `192.0.2.7` or `2001:db8:1:2::/64`. */
  readonly prefix: string;
  /** How many times the limit of a single household it has. */
  readonly limitFactor: number;
}

/**
 * Groups of 16 bits, and the share of such a network: a household or phone has a /64, a site a /56 or a /48. Without the larger
 * ones, an attacker with one rented /48 would have 65,536 times each limit.
 */
const ipv6Networks = [
  { bits: 64, limitFactor: 1 },
  { bits: 56, limitFactor: 4 },
  { bits: 48, limitFactor: 16 },
] as const;

/**
 * Returns the networks that an address belongs to, the smallest first: an IPv4 address alone, or the /64, /56 and /48 of an
 * IPv6 address.
 * @param ip as Fastify has it; none, whatever its types say, once a visitor has hung up. All of those are one network.
 */
export function networksOf(ip: string | undefined): readonly Network[] {
  if (ip === undefined) return [{ prefix: 'nowhere', limitFactor: 1 }];
  if (!ipaddr.isValid(ip)) return [{ prefix: ip, limitFactor: 1 }];
  // An IPv4 address that is mapped into IPv6 becomes one again.
  const address = ipaddr.process(ip.replace(/%.*$/u, '')).toString();
  if (!ipaddr.IPv6.isValid(address)) return [{ prefix: address, limitFactor: 1 }];
  return ipv6Networks.map(({ bits, limitFactor }) => ({
    prefix: `${ipaddr.IPv6.networkAddressFromCIDR(`${address}/${bits}`).toString()}/${bits}`,
    limitFactor,
  }));
}
