import { GatewayError, type Principal } from '@sluice/core'
import type { ConsoleGateway } from '../console-gateway.ts'
import { secureHeaders } from '../secure-headers.ts'
import type { ResolvedChat } from './chat-options.ts'

/** The console as a caller of the gateway. */
export interface ConsoleCaller {
  /** Knows the requests that `send` makes, and no others: nothing that comes from outside can look like one. */
  readonly authenticate: (request: Request) => Principal | undefined
  /**
   * Sends the body of an admin's request to an endpoint of the gateway as the console's own principal, and returns its response as
   * it comes. `more`: further headers; `context`: how the gateway is called. Throws 403 where the gateway was not given `authenticate`.
   */
  send(
    request: Request,
    gateway: ConsoleGateway,
    path: string,
    more?: Readonly<Record<string, string>>,
    context?: Parameters<ConsoleGateway['fetch']>[1],
  ): Promise<Response>
}

/** The console's own principal, with the id `console`, and what it sends. */
export function consoleCaller({ models, tags, limits }: ResolvedChat): ConsoleCaller {
  const principal: Principal = Object.freeze({
    id: 'console',
    source: 'console',
    ...(models === undefined ? {} : { models: Object.freeze([...models]) }),
    ...(tags === undefined ? {} : { tags: Object.freeze({ ...tags }) }),
    limits: Object.freeze(limits),
  })
  /** Requests that are on their way, and whether the gateway has asked whose they are. */
  const sent = new WeakMap<Request, { known: boolean }>()
  return {
    authenticate(request) {
      const own = sent.get(request)
      if (own === undefined) return undefined
      own.known = true
      return principal
    },
    async send(request, gateway, path, more = {}, context) {
      const own = { known: false }
      const chat = chatRequest(request, path, more)
      sent.set(chat, own)
      const response = await gateway.fetch(chat, context)
      if (response.status === 401 && !own.known) throw notCaller()
      return chatResponse(response)
    },
  }
}

/** Of the admin's request only the body goes on: neither its key nor a cookie. */
function chatRequest(
  { url, headers, body, signal }: Request,
  path: string,
  more: Readonly<Record<string, string>>,
): Request {
  const type = headers.get('content-type')
  const init: RequestInit & { duplex: 'half' } = {
    method: 'POST',
    headers: type === null ? more : { 'content-type': type, ...more },
    body,
    signal,
    duplex: 'half',
  }
  return new Request(new URL(path, url), init)
}

function chatResponse({ body, status, headers: given }: Response): Response {
  const headers = new Headers(given)
  for (const [name, value] of Object.entries(secureHeaders)) headers.set(name, value)
  if (!headers.has('cache-control')) headers.set('cache-control', 'no-store')
  headers.set('vary', 'authorization')
  return new Response(body, { status, headers })
}

function notCaller(): GatewayError {
  return new GatewayError('missing_scope', {
    message:
      "The gateway does not know the console as a caller. Give createGateway() `authenticate: firstOf(adminConsole.authenticate, ...)`, where `adminConsole` is what createConsole() returned, or chat with a caller's key.",
  })
}
