import { chunks, completion, sse } from './bodies.ts'
import type { Script } from './script.ts'
import {
  body,
  cut,
  drip,
  early,
  end,
  flood,
  garbage,
  hang,
  head,
  raw,
  redirect,
  reply,
  reset,
  stream,
  unsolicited,
} from './steps.ts'
import { startUpstream, type Upstream } from './upstream.ts'

const events = sse(chunks({ text: 'one two three' }))
const begun = events.slice(0, 2)
const error = {
  error: { message: 'The server is overloaded.', type: 'server_error', param: null, code: null },
}

/**
 * Ways for an upstream to misbehave, by name: take one, or run a test over all of them. Those that concern streams
 * answer with a stream whatever the request asks.
 */
export const misbehaviours = {
  /** Takes the request and says nothing. */
  'hang-before-headers': hang(),
  'hang-after-headers': [head(), hang()],
  'hang-mid-stream': [stream(begun), hang()],
  /** A right answer, one byte each 2 ms. */
  drip: [head(), drip(events.join(''), 2)],
  'cut-before-headers': cut(),
  'cut-within-headers': [raw('HTTP/1.1 200 OK\r\ncontent-ty'), cut()],
  'cut-mid-chunk': [stream(begun), cut({ partial: 'data: {"id":"chatcmpl-up' })],
  'cut-between-chunks': [stream(begun), cut({ at: 'between-chunks' })],
  /** The body is shorter than its content-length says. */
  'cut-mid-body': [reply(completion(), { contentLength: 100_000 }), cut()],
  'reset-before-headers': reset(),
  'reset-mid-stream': [stream(begun), reset()],
  /** A well-framed end of the body in the middle of the answer. */
  'end-without-finish': stream(begun),
  /** Every chunk, no `[DONE]`. */
  'end-without-done': stream(events.slice(0, -1)),
  /** Bytes that are no HTTP. */
  garbage: garbage(),
  /** A right head, then bytes that are no chunked body. */
  'garbage-body': [head(), garbage()],
  /** A page of HTML with status 200. */
  html: reply('<html><body>Welcome</body></html>', { headers: { 'content-type': 'text/html' } }),
  /** A stream that calls itself JSON. */
  'wrong-content-type': stream(events, { headers: { 'content-type': 'application/json' } }),
  /** Status 200 and no body. */
  empty: reply(),
  'invalid-json': reply('{"id":"chatcmpl-up'),
  'invalid-json-event': stream(sse(['{"id":"chatcmpl-up'])),
  'invalid-utf-8': [stream(begun), body(Uint8Array.of(0x64, 0x61, 0x74, 0x61, 0x3a, 0xc3, 0x28, 10, 10))],
  'content-length-too-long': [reply(completion(), { contentLength: 100_000 }), hang()],
  /** Cuts the JSON off and leaves its rest on the connection. */
  'content-length-too-short': [reply(completion(), { contentLength: 20 })],
  /** An event that never ends. */
  'flood-one-event': [head(), body('data: '), flood({ unit: 'x'.repeat(1024) })],
  /** Events without end. */
  flood: flood(),
  /** Answers before the body is read, then closes. */
  'early-answer': early(reply(error, { status: 503 })),
  /** Answers and resets before the body is read. */
  'early-reset': early([reply(error, { status: 503 }), reset()], 'leave'),
  /** Redirects to another origin, with the same method and body. */
  redirect: redirect('http://127.0.0.1:9/elsewhere'),
  /** After a right answer, a second one that nobody asked for. */
  unsolicited: unsolicited(reply(completion()), reply(completion({ text: 'for somebody else' }))),
  /** The answer's first event is an error, with status 200. */
  'error-first': stream(sse([error], { done: false })),
  'error-mid-stream': [stream(begun), stream(sse([error], { done: false })), end()],
} satisfies Record<string, Script>

/** The name of a misbehaviour. */
export type Misbehaviour = keyof typeof misbehaviours

/** Starts an upstream that misbehaves in one way at each request. */
export function startMisbehavingUpstream(name: Misbehaviour): Promise<Upstream> {
  return startUpstream(misbehaviours[name])
}
