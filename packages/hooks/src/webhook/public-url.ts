/** Ranges of IPv4 addresses that are not of the public internet, after IANA's registry: the first address, and its prefix length. */
const closedIPv4: readonly (readonly [address: string, prefix: number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
]

/** Names of one machine or of one network. */
const privateName = /(?:^|\.)(?:localhost|local|localdomain|internal|intranet|lan|home\.arpa)$/

/**
 * Whether the host of a URL may be one of the public internet: no literal address of a private range, and no name that only means
 * something in one network. What a name resolves to is not known.
 */
export function isPublicHost({ hostname }: URL): boolean {
  // A URL has addresses in one form: `127.1` and `0x7f000001` are `127.0.0.1` there.
  if (hostname.startsWith('[')) return isPublicIPv6(hostname.slice(1, -1))
  if (/^\d+\.\d+\.\d+\.\d+$/.test(hostname)) return isPublicIPv4(hostname)
  const name = hostname.replace(/\.$/, '')
  return name.includes('.') && !privateName.test(name)
}

function isPublicIPv4(address: string): boolean {
  const value = numberOf(address)
  return !closedIPv4.some(([first, prefix]) => (value ^ numberOf(first)) >>> (32 - prefix) === 0)
}

function numberOf(address: string): number {
  return address.split('.').reduce((value, part) => (value << 8) | Number(part), 0)
}

/** Only 2000::/3 is given out. Within it, some ranges carry other addresses or none. */
function isPublicIPv6(address: string): boolean {
  const first = Number.parseInt(address.split(':')[0] || '0', 16)
  const second = Number.parseInt(address.split(':')[1] || '0', 16)
  if (first < 0x2000 || first > 0x3fff || first === 0x2002) return false
  if (first === 0x2001 && (second < 0x0200 || second === 0x0db8)) return false
  return !(first === 0x3fff && second < 0x1000)
}
