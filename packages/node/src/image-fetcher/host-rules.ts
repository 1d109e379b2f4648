import { isIP } from 'node:net'
import { configurationError } from '@sluice/core/adapter'
import { isPublicAddress } from './public-address.ts'

/** A host that may be called. */
export interface HostRule {
  /** `name`: this one. `below`: every name that ends in a dot and this one. `any`: every host. */
  readonly kind: 'name' | 'below' | 'any'
  /** As `URL` writes it: in lower case, IDNA, without brackets and trailing dot. */
  readonly host: string
  readonly port: number
}

const patterns = "'images.example.com', '*.cdn.example' or '*', with a port if it is not 443"
const form = /^(?:(\*)|(\*\.)?([^\s*/\\?#@:[\]%]+|\[[\da-f:.]+\]))(?::(\d{1,5}))?$/i

/**
 * Parses `images.example.com`, `*.cdn.example` or `*`, each with or without a port. `index` is its position in `hosts`.
 * Throws `ConfigurationError` for any other pattern.
 */
export function hostRule(pattern: unknown, index = 0): HostRule {
  const invalid = (reason: string) =>
    configurationError('imageFetcher()', ['hosts', index], pattern, `${patterns}: ${reason}`)
  const match = typeof pattern === 'string' ? form.exec(pattern) : null
  if (match === null) throw invalid('this has another form')
  const [, any, below, name = '', digits = '443'] = match
  const port = Number(digits)
  if (port < 1 || port > 65_535) throw invalid('there is no such port')
  if (any !== undefined) return { kind: 'any', host: '', port }
  const host = URL.canParse(`https://${name}`) ? bareHost(new URL(`https://${name}`).hostname) : ''
  if (!isHost(host)) throw invalid('this is not the name of a host')
  if (below !== undefined && isIP(host) !== 0) throw invalid('an address has no subdomains')
  if (isIP(host) !== 0 && !isPublicAddress(host)) throw invalid('this is not a public address')
  return { kind: below === undefined ? 'name' : 'below', host, port }
}

/** Whether one of the rules allows a host. It has to be written as in a rule. */
export function isAllowed(rules: readonly HostRule[], host: string, port: number): boolean {
  return rules.some(rule => {
    if (rule.port !== port) return false
    if (rule.kind === 'below') return isIP(host) === 0 && host.endsWith(`.${rule.host}`)
    return rule.kind === 'any' || rule.host === host
  })
}

/** A URL's host without the brackets of an IPv6 address and without a trailing dot. */
export function bareHost(hostname: string): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname.replace(/\.$/, '')
}

/** Whether it is an address, or a name that can stand in the DNS. */
export function isHost(host: string): boolean {
  if (isIP(host) !== 0) return true
  return (
    host.length <= 253 && host.split('.').every(label => /^[a-z\d_](?:[a-z\d_-]{0,61}[a-z\d_])?$/.test(label))
  )
}
