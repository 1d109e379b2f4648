import { MalformedRequest } from './malformed-request.ts'

const plainHost = /^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/
const plainTarget =
  /^(?:\/[A-Za-z0-9_~!$&'()*+,;=:@-][A-Za-z0-9._~!$&'()*+,;=:@-]*)+\/?(?:\?[A-Za-z0-9._~!$&()*+,;=:@/?%-]*)?$/

/**
 * Returns the request target as a path with its query (RFC 9112 section 3.2.1). The host of an absolute-form target is ignored.
 * Throws `MalformedRequest` for the other forms.
 */
export function originForm(target: string): string {
  if (target.charCodeAt(0) === 47) return target
  const absolute = /^https?:\/\/[^/?#]*/i.exec(target)
  if (absolute === null) throw new MalformedRequest('The request target is neither a path nor an http URL.')
  const rest = target.slice(absolute[0].length)
  return rest.startsWith('/') ? rest : `/${rest}`
}

/**
 * Returns the URL of a request, spelled as a native `Request` spells it. The target is appended to the origin, never
 * resolved against it, so that `//elsewhere/v1` stays a path.
 *
 * `protocol` is `http` or `https`; `host` is a name or address with an optional port, or `undefined` where the
 * request named none (HTTP/1.0). Throws `MalformedRequest`, also for what `checkTarget` rejects.
 */
export type RequestUrl = (protocol: string, host: string | undefined, target: string) => string

/** A `RequestUrl` without memory. */
export const requestUrl: RequestUrl = (protocol, host, target) => {
  return joinUrl(parseOrigin(protocol, host ?? defaultHost), target)
}

/** A `RequestUrl` for one listener. It remembers the last URL and origin, as nearly all requests have the same. */
export function createRequestUrl(): RequestUrl {
  let last: { protocol: string; host: string | undefined; target: string; url: string } | undefined
  let known = { protocol: '', host: '', origin: '' }
  const originOf = (protocol: string, host: string): string => {
    if (known.host !== host || known.protocol !== protocol) {
      known = { protocol, host, origin: parseOrigin(protocol, host) }
    }
    return known.origin
  }
  return (protocol, host, target) => {
    if (last?.target !== target || last.host !== host || last.protocol !== protocol) {
      const url = joinUrl(originOf(protocol, host ?? defaultHost), target)
      last = { protocol, host, target, url }
    }
    return last.url
  }
}

const defaultHost = 'localhost'

function joinUrl(origin: string, target: string): string {
  const path = originForm(target)
  if (plainTarget.test(path)) return origin + path
  checkTarget(path)
  return new URL(origin + path).href
}

/**
 * Throws `MalformedRequest` for a target that `URL` would normalize to another path: with `.` or `..` as a segment,
 * a backslash, or a fragment. A proxy or the host's router has used the path before normalization.
 */
export function checkTarget(target: string): void {
  const [path = ''] = target.split('?', 1)
  if (!target.includes('#') && !path.includes('\\') && !path.split('/').some(isDots)) return
  throw new MalformedRequest(
    "The request target has a segment '.' or '..', a backslash or a fragment. Expected a path as it is meant.",
  )
}

function isDots(segment: string): boolean {
  return /^(?:\.|%2e){1,2}$/i.test(segment)
}

/** Throws `MalformedRequest` for what cannot be a host name or address with an optional port. */
export function checkHost(host: string): void {
  if (!plainHost.test(host)) throw badHost()
}

function badHost(): MalformedRequest {
  return new MalformedRequest('The Host header is not a host name or address with an optional port.')
}

function parseOrigin(protocol: string, host: string): string {
  if (protocol !== 'http' && protocol !== 'https') {
    throw new MalformedRequest('The scheme of the request is neither http nor https.')
  }
  checkHost(host)
  const text = `${protocol}://${host}`
  if (!URL.canParse(text)) throw badHost()
  return new URL(text).origin
}
