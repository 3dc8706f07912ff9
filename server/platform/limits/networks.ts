import { isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

export interface Network {
  /** An IPv4 address or an IPv6 network, for example `192.0.2.7` or `2001:db8:1:2::/64`. */
  readonly prefix: string;
  /** The limit of this network, as a multiple of the limit of a household. */
  readonly limitFactor: number;
}

/**
 * Prefix lengths and limit factors. A household or phone usually has a /64, a site a /56 or a /48. If only the /64
 * counted, an attacker with a rented /48 would get every limit 65,536 times.
 */
const ipv6Networks = [
  { bits: 64, limitFactor: 1 },
  { bits: 56, limitFactor: 4 },
  { bits: 48, limitFactor: 16 },
] as const;

/**
 * Returns the networks of an IP address, the smallest first: the address itself for IPv4, the /64, /56 and /48 for
 * IPv6.
 * @param ip `request.ip`, which is undefined after the client has disconnected, despite Fastify's types. All such
 *   requests share one network.
 */
export function networksOf(ip: string | undefined): readonly Network[] {
  if (ip === undefined) return [{ prefix: 'nowhere', limitFactor: 1 }];
  if (isIPv4(ip)) return [{ prefix: ip, limitFactor: 1 }];
  if (!ipaddr.isValid(ip)) return [{ prefix: ip, limitFactor: 1 }];
  // Converts IPv4-mapped IPv6 addresses to IPv4.
  const address = ipaddr.process(ip.replace(/%.*$/u, '')).toString();
  if (!ipaddr.IPv6.isValid(address)) return [{ prefix: address, limitFactor: 1 }];
  return ipv6Networks.map(({ bits, limitFactor }) => ({
    prefix: `${ipaddr.IPv6.networkAddressFromCIDR(`${address}/${bits}`).toString()}/${bits}`,
    limitFactor,
  }));
}
