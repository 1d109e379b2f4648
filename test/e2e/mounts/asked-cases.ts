import {
  type Gateway,
  GatewayError,
  type GatewayOptions,
  idempotency,
  limits,
  requests,
  responseCache,
  UpstreamError,
} from '@sluice/core'
import { memoryLimitStore } from '@sluice/core/limits'
import { authorized, saying } from './test-gateway.ts'

type Fetch = Gateway['fetch']

/** A request that has to be answered the same way on every path. */
export interface AskedCase {
  /** Default POST. */
  readonly method?: string
  /** Default `/chat/completions`. */
  readonly path?: string
  /** Default those of a known caller. */
  readonly headers?: Readonly<Record<string, string>>
  /** Default one that asks for a whole answer. */
  readonly body?: string | Uint8Array
  /** Made anew for each gateway: some remember. */
  readonly options?: () => Partial<GatewayOptions>
  /** What stands around the gateway. */
  readonly around?: ((fetch: Fetch) => Fetch) | undefined
  /** How often it is sent; the last answer counts. Default 1. */
  readonly times?: number
}

const without = (name: keyof typeof authorized) => {
  const { [name]: _, ...rest } = authorized
  return rest
}
const chat = (more: object) => JSON.stringify({ model: 'm', messages: [], ...more })
const failing = (error: () => unknown) => (): Partial<GatewayOptions> => ({
  limits: {
    admit: () => {
      throw error()
    },
  },
})
/** Changes what a gateway answers. */
const answering =
  (change: (response: Response) => Response | Promise<Response>): AskedCase['around'] =>
  fetch =>
  async (input, init) =>
    change(await fetch(input, init))
/** Does something with a request before the gateway has it. */
const asking =
  (look: (request: Request) => unknown): AskedCase['around'] =>
  fetch =>
  async (input, init) => {
    await look(input as Request)
    return fetch(input, init)
  }
const streamed = saying('all of this, piece by piece: ü, 漢, 🙂', { stream: true })

export const askedCases: Readonly<Record<string, AskedCase>> = {
  'a whole answer': {},
  'text beyond ASCII': { body: saying('ü, 漢, 🙂 and "quotes"\n') },
  'a stream': { body: streamed },
  'a stream with its usage': {
    body: saying('some words', { stream: true, stream_options: { include_usage: true } }),
  },
  'a stream of nothing': { body: saying('', { stream: true }) },
  'a large request': { body: saying('word '.repeat(30_000)) },
  'a type with a charset': { headers: { ...authorized, 'content-type': 'Application/JSON; charset=UTF-8' } },
  'odd headers': { headers: { ...authorized, 'x-odd': 'a\tb', 'x-empty': '', 'x-latin': 'ä' } },

  'no key': { headers: without('authorization') },
  'a wrong key': { headers: { ...authorized, authorization: 'Bearer wrong' } },
  'no type': { headers: without('content-type'), body: new TextEncoder().encode(saying('hello')) },
  'another type': { headers: { ...authorized, 'content-type': 'text/plain' } },
  'a coding': { headers: { ...authorized, 'content-encoding': 'gzip' } },
  'no body': { body: '' },
  'no JSON': { body: '{"model": "m", ' },
  'no UTF-8': { body: new Uint8Array([0x22, 0xff, 0x22]) },
  'no object': { body: '[]' },
  'no model': { body: '{"messages": []}' },
  'another model': { body: chat({ model: 'other' }) },
  'no messages': { body: chat({}) },
  'a wrong number': { body: saying('hello', { temperature: 3 }) },
  'too much': { body: saying('x'.repeat(500)), options: () => ({ requestLimits: { maxBytes: 400 } }) },
  'another method': { method: 'PUT' },
  'another path': { path: '/completions' },
  'the models': { method: 'GET', path: '/models?x=1' },
  'a model': { method: 'GET', path: '/models/m' },
  'an unknown model': { method: 'GET', path: '/models/a%2Fb' },
  'the head of the models': { method: 'HEAD', path: '/models' },
  'the head of a refusal': { method: 'HEAD' },

  'a model that is not allowed': { options: () => ({ authorize: () => false }) },
  'a gateway with no room': { options: () => ({ loadShedder: () => 'busy' }) },
  'limits that are told of': { options: limited(5) },
  'a limit that is reached': { options: limited(1), times: 2 },
  'a function that throws': { options: failing(() => new Error('secret')) },
  'a refusal with headers': {
    options: failing(
      () =>
        new GatewayError('rate_limit_exceeded', {
          headers: {
            'Retry-After': '7',
            'x-latin': 'ä',
            'x-broken': 'a\nb',
            'x y': '1',
            'set-cookie': 'a=1',
          },
        }),
    ),
  },
  'an upstream that fails': {
    options: failing(() => new UpstreamError('gone', { kind: 'refused', status: 503 })),
  },
  'an answer of the cache': { options: () => ({ cache: responseCache({ ttlMs: 60_000 }) }), times: 2 },
  'a stream of the cache': {
    body: streamed,
    options: () => ({ cache: responseCache({ ttlMs: 60_000 }) }),
    times: 2,
  },
  'a repeat': {
    headers: { ...authorized, 'idempotency-key': 'one' },
    options: () => ({ idempotency: idempotency() }),
    times: 2,
  },

  'a request whose headers are read': {
    around: asking(request => [...request.headers, request.headers.has('x-none'), request.signal.aborted]),
  },
  'a request that is cloned and read': { around: asking(request => request.clone().text()) },
  'a request that is made anew': {
    around: fetch => async input => {
      const given = input as Request
      const headers = new Headers(given.headers)
      headers.set('authorization', authorized.authorization)
      const { method, url } = given
      return fetch(new Request(url, { method, headers, body: await given.text() }))
    },
    headers: without('authorization'),
  },
  'a request with another signal': {
    around: fetch => (input, init) => {
      const { signal } = new AbortController()
      return fetch(new Request((input as Request).clone(), { signal }), init)
    },
  },
  'an answer with other headers': {
    around: answering(response => {
      response.headers.set('x-added', '1')
      response.headers.set('vary', 'origin')
      response.headers.delete('x-request-id')
      response.headers.append('set-cookie', 'a=1')
      response.headers.append('set-cookie', 'b=2')
      return response
    }),
  },
  'a stream with other headers': {
    body: streamed,
    around: answering(response => {
      response.headers.set('x-added', '1')
      return response
    }),
  },
  'an answer that is cloned and read': {
    around: answering(async response => {
      await response.clone().json()
      return response
    }),
  },
  'a stream that is cloned': {
    body: streamed,
    around: answering(async response => {
      void response.clone().text()
      return response
    }),
  },
  'an answer that is made anew': {
    around: answering(response => new Response(response.body, { status: 202, headers: response.headers })),
  },
  'an answer that is read and written': {
    around: answering(async response => new Response((await response.text()).toUpperCase())),
  },
  'an answer without a body': { around: answering(() => new Response(null, { status: 204 })) },
}

function limited(most: number): () => Partial<GatewayOptions> {
  const now = () => 1_750_000_000_000
  return () => ({ limits: limits([requests(most).per('minute')], { store: memoryLimitStore({ now }) }) })
}
