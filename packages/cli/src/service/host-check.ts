import { protocolError } from '@sluice/node/adapter'
import { printable } from '../command-line/printable.ts'

/** What a service is reached by. */
export interface HostNames {
  /** The address that it listens on. */
  readonly bound: string
  /** Further names: `server.allowedHosts`. */
  readonly allowed: readonly string[]
}

/**
 * Refuses a request whose `Host` is no name of this service with 403. A page of any site may let its own name point here
 * (DNS rebinding), and browsers then take this service for a part of that site: only `Host` still says its name.
 *
 * Loopback names and addresses pass, the address that is listened on, and `allowed`; all addresses where it listens on all,
 * as an address cannot be rebound. A request without `Host` is none of a browser.
 */
export function rejectForeignHost(request: Request, names: HostNames): Response | undefined {
  const host = request.headers.get('host')
  if (host === null || isOwn(host, names)) return undefined
  return protocolError(
    403,
    `The host '${printable(host)}' is not allowed, to protect against DNS rebinding. Use localhost or the address of --host, or add the name to server.allowedHosts in the configuration.`,
  )
}

function isOwn(host: string, { bound, allowed }: HostNames): boolean {
  const name = hostnameOf(host)
  if (name === undefined) return false
  if (name === 'localhost' || name.endsWith('.localhost') || name === '[::1]' || isLoopbackV4(name))
    return true
  if (isEveryAddress(bound) && isAddress(name)) return true
  return [bound, ...allowed].some(
    each => hostnameOf(each.includes(':') && !each.startsWith('[') ? `[${each}]` : each) === name,
  )
}

/** Without the port, in the spelling of URLs. */
function hostnameOf(host: string): string | undefined {
  try {
    return new URL(`http://${host}`).hostname.replace(/\.$/, '')
  } catch {
    return undefined
  }
}

function isEveryAddress(bound: string): boolean {
  return bound === '0.0.0.0' || bound === '::' || bound === ''
}

function isAddress(name: string): boolean {
  return name.startsWith('[') || /^\d+\.\d+\.\d+\.\d+$/.test(name)
}

function isLoopbackV4(name: string): boolean {
  return /^127\.\d+\.\d+\.\d+$/.test(name)
}
