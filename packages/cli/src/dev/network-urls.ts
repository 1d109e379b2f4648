import type { NetworkInterfaceInfo } from 'node:os'

/** Returns the IPv4 addresses by which other machines can reach this one. */
export function externalAddresses(
  interfaces: Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>,
): readonly string[] {
  return Object.values(interfaces)
    .flatMap((found = []) => found)
    .filter(({ family, internal }) => family === 'IPv4' && !internal)
    .map(({ address }) => address)
}

const loopback = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/

/** Returns the URLs by which other machines can reach a service: none where it listens on loopback only. */
export function networkUrls(url: string, addresses: readonly string[]): readonly string[] {
  const { hostname, protocol, port, pathname } = new URL(url)
  if (loopback.test(hostname)) return []
  if (hostname !== '0.0.0.0' && hostname !== '[::]') return [url]
  return addresses.map(address => `${protocol}//${address}:${port}${pathname}`)
}
