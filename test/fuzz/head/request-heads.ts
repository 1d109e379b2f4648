import fc from 'fast-check'
import { linesOf, requestTarget } from './request-targets.ts'

/** A request as its client wrote it. */
export interface RequestHead {
  readonly method: string
  readonly target: string
  readonly version: '1.0' | '1.1'
  readonly headers: readonly (readonly [name: string, value: string])[]
}

/** The one key that is let in. It must never come back. */
export const key = 'sk-CANARY'

function often<T>(usual: T, others: readonly T[]): fc.Arbitrary<T> {
  return fc.oneof(
    { weight: 8, arbitrary: fc.constant(usual) },
    { weight: 2, arbitrary: fc.constantFrom(...others) },
  )
}

const method = fc.oneof(
  { weight: 6, arbitrary: fc.constant('POST') },
  { weight: 3, arbitrary: fc.constant('GET') },
  {
    weight: 2,
    arbitrary: fc.constantFrom(...'HEAD PUT DELETE OPTIONS PATCH TRACE CONNECT PROPFIND post FOO'.split(' ')),
  },
)

// Some of these are two headers: ` & ` stands between them.
const host = often('Host: gateway.test', [
  '',
  ...linesOf(`
Host:
host: a.test:8080
HOST: [::1]:80
Host: a b
Host: h/v1/models
Host: h?x
Host: u@h
Host: 999.1.1.1
Host: h:99999
Host: h:
Host: ..
Host: a & Host: b
Host: a & hOST: a
`),
])
const authorization = often(`Authorization: Bearer ${key}`, [
  '',
  ...linesOf(`
authorization: bearer   ${key} \nAUTHORIZATION: BEARER ${key}
Authorization: ${key}
Authorization:
Authorization: Bearer
Authorization: Basic ${key}
Authorization: Bearer ${key}x
Authorization: Bearer ${key},
Authorization: Bearer\t${key}
Authorization: Bearer "${key}"
Authorization: Bearer ${'x'.repeat(5_000)}
Authorization: Bearer éÿ
Authorization: Bearer ${key} & authorization: Bearer x
`),
])
const contentType = often('Content-Type: application/json', [
  '',
  ...linesOf(`
content-type: Application/JSON; charset=UTF-8
Content-Type: text/plain
Content-Type:
Content-Type: application/json; charset=latin1
Content-Type: ;
Content-Type: application/json;a;b=;=
Content-Type: application/json & Content-Type: text/plain
`),
])

/** What lets other servers decide about the route, the caller or the body; here none of it does. */
const others = linesOf(`
X-Original-URL: /v1/models
X-Rewrite-URL: /v1/models
X-HTTP-Method-Override: GET
X-Forwarded-Host: evil.test
X-Forwarded-Proto: gopher
X-Forwarded-Prefix: /v1
Forwarded: host=evil.test;proto=x
X-Api-Key: x
api-key: x
Accept: text/html
Accept-Encoding: gzip, br
Origin: http://evil.test
Cookie: a=b & Cookie: c=d
Range: bytes=0-1
If-None-Match: *
Max-Forwards: 0
X-Request-Id: mine
TE: trailers
Via: 1.1 a
Expect: 100-continue
Expect: the-unexpected
Upgrade: websocket
Upgrade: h2c
Proxy-Authorization: Basic x
Content-Encoding: identity
__proto__: x
constructor: x
toString: x
hasOwnProperty: x
x-${'y'.repeat(300)}: z
x-long: ${'z'.repeat(4_000)}
x-latin: éÿ
a b: c
: c
x:
x: \u0000
x: \u007f
Transfer-Encoding: chunked
Content-Length: 3
`)
const further = fc.oneof(fc.constant([]), fc.array(fc.constantFrom(...others), { maxLength: 4 }))

/** Heads of requests: about a third of them sound, the rest as hostile as can be. */
export const requestHead: fc.Arbitrary<RequestHead> = fc
  .record({
    method,
    target: requestTarget,
    version: often<'1.0' | '1.1'>('1.1', ['1.0']),
    lines: fc.tuple(host, authorization, contentType, further),
  })
  .map(({ lines, ...head }) => ({ ...head, headers: lines.flat().flatMap(headersOf) }))

/** The bytes of a request, which asks for the connection to be closed. */
export function headBytes({ method: verb, target, version, headers }: RequestHead, body: string): Uint8Array {
  const lines = headers.map(([name, value]) => `${name}: ${value}`)
  const own = ['Connection: close', `Content-Length: ${Buffer.byteLength(body)}`]
  return Buffer.from([`${verb} ${target} HTTP/${version}`, ...lines, ...own, '', body].join('\r\n'), 'latin1')
}

function headersOf(line: string): [string, string][] {
  if (line === '') return []
  return line.split(' & ').map(text => {
    const colon = text.indexOf(':')
    return [text.slice(0, colon), text.slice(colon + 1).replace(/^ /, '')]
  })
}
