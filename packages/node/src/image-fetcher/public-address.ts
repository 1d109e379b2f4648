import { BlockList, isIP } from 'node:net'

/** What is not for everybody, after IANA's registries of special-purpose addresses. */
const closedIPv4 = [
  ['0.0.0.0', 8], // this network
  ['10.0.0.0', 8], // private
  ['100.64.0.0', 10], // carriers' own
  ['127.0.0.0', 8], // loopback
  ['168.63.129.16', 32], // Azure's own services, as seen from its machines
  ['169.254.0.0', 16], // link-local; clouds serve credentials here
  ['172.16.0.0', 12], // private
  ['192.0.0.0', 24], // protocol assignments
  ['192.0.2.0', 24], // documentation
  ['192.88.99.0', 24], // 6to4 relays
  ['192.168.0.0', 16], // private
  ['198.18.0.0', 15], // benchmarks
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, and broadcast
] as const

/** Of the one range of IPv6 that is given out: no mapped address, NAT64, ULA, link-local or multicast is in it. */
const givenOutIPv6 = ['2000::', 3] as const
const closedIPv6 = [
  ['2001::', 23], // protocol assignments: Teredo, benchmarks, ORCHID
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4: an IPv4 address in another form
  ['3fff::', 20], // documentation
] as const

const closed = new BlockList()
for (const [net, prefix] of closedIPv4) closed.addSubnet(net, prefix, 'ipv4')
for (const [net, prefix] of closedIPv6) closed.addSubnet(net, prefix, 'ipv6')
const givenOut = new BlockList()
givenOut.addSubnet(...givenOutIPv6, 'ipv6')

/**
 * Whether an address is one of the public internet: not of this machine, its network or its cloud, and no form
 * in which another address is carried. What is no address is not public.
 */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address)
  if (family === 4) return !closed.check(address, 'ipv4')
  // A zone, `fe80::1%eth0`, belongs to one machine.
  if (family !== 6 || address.includes('%')) return false
  return givenOut.check(address, 'ipv6') && !closed.check(address, 'ipv6')
}
