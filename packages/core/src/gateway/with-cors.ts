import { messagesRequestHeaders, messagesResponseHeaders } from '../dialects/messages/header-names.ts'
import { type OptionChecks, optionIssues } from '../errors/check-options.ts'
import { ConfigurationError, configurationError } from '../errors/configuration-error.ts'
import { isRequest } from '../http/fetch-arguments.ts'
import type { Gateway } from './managed-gateway.ts'

/** Options of `withCors`. */
export interface CorsOptions {
  /** The allowed origins, as browsers send them: `['https://app.example']`, or `'*'` for all. */
  readonly origins: readonly string[] | '*'
  /** How long a browser may cache a preflight response, in seconds. Default 600. */
  readonly maxAgeSeconds?: number | undefined
}

const exposed = [
  ...['x-request-id', 'x-client-request-id', 'x-sluice-adjustments', 'x-sluice-trace', 'x-sluice-cache'],
  'x-sluice-cost',
  ...['idempotency-replayed', 'retry-after', 'retry-after-ms', 'x-should-retry'],
  ...['x-ratelimit-limit-requests', 'x-ratelimit-remaining-requests', 'x-ratelimit-reset-requests'],
  ...['x-ratelimit-limit-tokens', 'x-ratelimit-remaining-tokens', 'x-ratelimit-reset-tokens'],
  ...messagesResponseHeaders,
].join(', ')

/** The headers that clients send. A wildcard would not include `authorization` (Fetch Standard). */
const allowedHeaders = [
  ...['authorization', 'x-api-key', 'content-type', 'cache-control', 'idempotency-key', 'x-request-id'],
  ...['x-client-request-id', 'x-stainless-arch', 'x-stainless-lang', 'x-stainless-os'],
  ...['x-stainless-package-version', 'x-stainless-retry-count', 'x-stainless-runtime'],
  ...['x-stainless-runtime-version', 'x-stainless-timeout'],
  ...messagesRequestHeaders,
].join(', ')

/**
 * Adds CORS to a gateway, so that browsers can call it. Preflight requests get a 204 without authentication, and every
 * response, errors included, gets CORS headers. Do not use it if the host handles CORS.
 *
 * Throws `ConfigurationError` for an unknown option, and if `origins` is neither `'*'` nor a list of origins.
 */
export function withCors<Host>(gateway: Gateway<Host>, options: CorsOptions): Gateway<Host> {
  const issues = optionIssues(options, checks, { required: ['origins'] })
  if (issues.length > 0) throw new ConfigurationError('withCors()', issues)
  const origins = options.origins === '*' ? '*' : new Set(checked(options.origins))
  const allowed = (origin: string | null | undefined) => {
    if (origin === null || origin === undefined) return undefined
    return origins === '*' ? '*' : origins.has(origin) ? origin : undefined
  }
  const { errorResponse } = gateway
  return {
    ...gateway,
    fetch: async (input, init) => {
      const request = isRequest(input) ? input : undefined
      const allow = allowed(request?.headers.get('origin'))
      if (request?.method === 'OPTIONS' && request.headers.has('access-control-request-method')) {
        return preflight(allow, options.maxAgeSeconds ?? 600)
      }
      return withHeaders(await gateway.fetch(input, init), allow)
    },
    ...(errorResponse && {
      errorResponse: (pathname, reason, message, mount, origin) =>
        withHeaders(errorResponse(pathname, reason, message, mount), allowed(origin)),
    }),
  }
}

function withHeaders(response: Response, allow: string | undefined): Response {
  response.headers.append('vary', 'origin')
  if (allow !== undefined) {
    response.headers.set('access-control-allow-origin', allow)
    response.headers.set('access-control-expose-headers', exposed)
  }
  return response
}

function preflight(allow: string | undefined, maxAgeSeconds: number): Response {
  const headers = new Headers({ vary: 'origin, access-control-request-headers' })
  if (allow !== undefined) {
    headers.set('access-control-allow-origin', allow)
    headers.set('access-control-allow-methods', 'GET, POST, DELETE, OPTIONS')
    headers.set('access-control-allow-headers', allowedHeaders)
    headers.set('access-control-max-age', String(maxAgeSeconds))
  }
  return new Response(null, { status: 204, headers })
}

function checked(origins: readonly string[]): readonly string[] {
  for (const [index, origin] of origins.entries()) {
    const expected = asSent(origin)
    if (origin === expected) continue
    const hint =
      origin === '*' ? "origins: '*' for every origin" : expected === undefined ? form : `'${expected}'`
    throw configurationError('withCors()', ['origins', index], origin, hint)
  }
  return origins
}

const checks: OptionChecks = {
  origins: value =>
    value === '*' || (Array.isArray(value) && value.length > 0)
      ? undefined
      : "a list such as ['https://app.example'], or '*' for every origin",
  maxAgeSeconds: value =>
    Number.isInteger(value) && (value as number) >= 0 ? undefined : 'a whole number of seconds from 0',
}

const form = "scheme://host[:port] without a path, such as 'https://app.example'"

/** Returns an origin as browsers send it (RFC 6454, section 6.2): lower case, without a default port, path or final slash. */
function asSent(origin: unknown): string | undefined {
  if (typeof origin !== 'string' || !URL.canParse(origin)) return undefined
  const { protocol, host, origin: serialized } = new URL(origin)
  if (host === '' || host.includes('*')) return undefined
  // The URL Standard serializes origins of app and extension schemes as `null`, but their pages send the real origin.
  return serialized === 'null' ? `${protocol}//${host}` : serialized
}
