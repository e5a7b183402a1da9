import { lookup } from 'node:dns/promises';
import { BlockList, isIP, isIPv6 } from 'node:net';

export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}
export type Resolve = (host: string) => Promise<readonly ResolvedAddress[]>;

/** As the system resolves names. */
export const resolveHost: Resolve = (host) => lookup(host, { all: true });

/** What the special-purpose registries of IANA keep for this host, this network, documentation, or many. */
const RESERVED = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const)
  RESERVED.addSubnet(network, prefix, 'ipv4');

/** Only these are given to hosts on the internet; what lies inside them and leads elsewhere is taken out. */
const GLOBAL_IPV6 = new BlockList();
GLOBAL_IPV6.addSubnet('2000::', 3, 'ipv6');
const TUNNELS_IPV6 = new BlockList();
for (const [network, prefix] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const)
  TUNNELS_IPV6.addSubnet(network, prefix, 'ipv6');

/** An address that anybody on the internet may be asked at. IPv4 addresses inside IPv6 ones never are. */
export function isPublicAddress(address: string): boolean {
  if (isIPv6(address)) return GLOBAL_IPV6.check(address, 'ipv6') && !TUNNELS_IPV6.check(address, 'ipv6');
  return isIP(address) === 4 && !RESERVED.check(address, 'ipv4');
}
