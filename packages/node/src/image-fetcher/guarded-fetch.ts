import { isIP } from 'node:net'
import { download, type ImageLocation } from './download.ts'
import { bareHost, type HostRule, isAllowed, isHost } from './host-rules.ts'

/** An image that was fetched. */
export interface FetchedImage {
  /** `image/jpeg`, `image/png`, `image/gif` or `image/webp`. */
  readonly mediaType: string
  readonly data: Uint8Array
}

/** What may be fetched. */
export interface Guards {
  readonly hosts: readonly HostRule[]
  readonly maxBytes: number
  readonly timeoutMs: number
}

/** What a fetch needs from outside. */
export interface FetchDependencies {
  /** All addresses of a name. It rejects as soon as the signal aborts. */
  readonly lookup: (name: string, signal: AbortSignal) => Promise<readonly string[]>
  readonly isPublic: (address: string) => boolean
  /** Certificates to trust, in PEM. Default: those that Node trusts. */
  readonly ca?: string | undefined
}

const maxUrlLength = 8_192

/**
 * Fetches an image from an untrusted URL. Its addresses are looked up once, checked, and connected to
 * directly: there is no second lookup between the check and the connection.
 */
export async function guardedFetch(
  url: string,
  signal: AbortSignal,
  guards: Guards,
  dependencies: FetchDependencies,
): Promise<FetchedImage> {
  signal.throwIfAborted()
  const location = parseImageUrl(url, guards.hosts)
  const ending = new AbortController()
  const abort = () => ending.abort(signal.reason)
  const late = () => ending.abort(new Error(`The image did not arrive within ${guards.timeoutMs} ms.`))
  const timer = setTimeout(late, guards.timeoutMs)
  signal.addEventListener('abort', abort, { once: true })
  try {
    const addresses = await checkedAddresses(location.host, ending.signal, dependencies)
    return await download(
      location,
      addresses,
      { maxBytes: guards.maxBytes, ca: dependencies.ca },
      ending.signal,
    )
  } catch (error) {
    throw ending.signal.aborted ? ending.signal.reason : error
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', abort)
  }
}

function parseImageUrl(text: string, hosts: readonly HostRule[]): ImageLocation {
  if (text.length > maxUrlLength) {
    throw new Error(`The image's link has ${text.length} characters; expected at most ${maxUrlLength}.`)
  }
  if (!URL.canParse(text)) throw new Error("The image's link is no URL.")
  const url = new URL(text)
  if (url.protocol !== 'https:') throw new Error("The image's link is not https.")
  if (url.username !== '' || url.password !== '') {
    throw new Error("The image's link has a user name or a password in it.")
  }
  const host = bareHost(url.hostname)
  const port = Number(url.port || 443)
  if (!isHost(host)) throw new Error("The image's link has no valid host name.")
  if (!isAllowed(hosts, host, port)) {
    throw new Error("The image's host, with its port, is not one of the allowed hosts.")
  }
  return { host, port, path: url.pathname + url.search }
}

async function checkedAddresses(
  host: string,
  signal: AbortSignal,
  { lookup, isPublic }: FetchDependencies,
): Promise<readonly string[]> {
  const addresses = isIP(host) === 0 ? await named(lookup(host, signal)) : [host]
  if (addresses.length === 0) throw new Error("The image's host has no address.")
  if (!addresses.every(isPublic)) throw new Error("The image's host has an address that is not public.")
  return addresses
}

async function named(found: Promise<readonly string[]>): Promise<readonly string[]> {
  try {
    return await found
  } catch (cause) {
    throw new Error("The name of the image's host could not be resolved.", { cause })
  }
}
