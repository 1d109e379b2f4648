import type { IncomingMessage } from 'node:http'
import type { TLSSocket } from 'node:tls'
import { MalformedRequest } from './malformed-request.ts'
import { checkHost, checkTarget, originForm, type RequestUrl } from './url.ts'

/** What an adapter knows of the URL of a node request (an `IncomingMessage`) beyond the request itself. */
export interface UrlOptions {
  /** `http` or `https`, as the server framework knows it. Default: that of the connection. */
  readonly protocol?: string | undefined
  /** A host name with an optional port, which replaces the `Host` header. */
  readonly host?: string | undefined
  /** Replaces the request target (RFC 9112): a path with its query. */
  readonly target?: string | undefined
  /** Whether `x-forwarded-proto` and `x-forwarded-host` are a trusted proxy's. Default `false`. */
  readonly trustProxy?: boolean | undefined
}

/** Returns the URL of a node request. Throws `MalformedRequest`: see `toRequest`. */
export function incomingUrl(incoming: IncomingMessage, options: UrlOptions, requestUrl: RequestUrl): string {
  const { url = '/' } = incoming
  const target = options.target ?? url
  // A framework that has normalized the request target does not make an ambiguous one clear.
  if (target !== url) checkTarget(originForm(url))
  return requestUrl(protocolOf(incoming, options), hostOf(incoming, options), target)
}

function protocolOf(incoming: IncomingMessage, options: UrlOptions): string {
  if (options.protocol !== undefined) return options.protocol
  const forwarded = options.trustProxy ? first(incoming.headers['x-forwarded-proto']) : undefined
  return forwarded?.toLowerCase() ?? ((incoming.socket as TLSSocket).encrypted ? 'https' : 'http')
}

function hostOf(incoming: IncomingMessage, options: UrlOptions): string | undefined {
  const own = incoming.headers.host
  if (own === undefined && incoming.httpVersion === '1.1') {
    throw new MalformedRequest('The request has no Host header.')
  }
  const forwarded = options.trustProxy ? first(incoming.headers['x-forwarded-host']) : undefined
  const host = options.host ?? forwarded ?? own
  // A host that others put in its place does not make a bad one good.
  if (host !== own && own !== undefined) checkHost(own)
  return host
}

/** The value of the proxy nearest to the client. */
function first(value: string | string[] | undefined): string | undefined {
  const text = Array.isArray(value) ? value[0] : value
  return text === undefined ? undefined : text.split(',', 1)[0]!.trim()
}
