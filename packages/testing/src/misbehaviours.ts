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
 * Scripts of upstreams that misbehave, by name. Those about streams respond with a stream, whatever the request has in
 * `stream`.
 */
export const misbehaviours = {
  /** Reads the request and sends nothing. */
  'hang-before-headers': hang(),
  'hang-after-headers': [head(), hang()],
  'hang-mid-stream': [stream(begun), hang()],
  /** A correct response, one byte every 2 ms. */
  drip: [head(), drip(events.join(''), 2)],
  'cut-before-headers': cut(),
  'cut-within-headers': [raw('HTTP/1.1 200 OK\r\ncontent-ty'), cut()],
  'cut-mid-chunk': [stream(begun), cut({ partial: 'data: {"id":"chatcmpl-up' })],
  'cut-between-chunks': [stream(begun), cut({ at: 'between-chunks' })],
  /** The connection closes before `content-length` bytes are sent. */
  'cut-mid-body': [reply(completion(), { contentLength: 100_000 }), cut()],
  'reset-before-headers': reset(),
  'reset-mid-stream': [stream(begun), reset()],
  /** The body ends in its framing, but in the middle of the completion. */
  'end-without-finish': stream(begun),
  /** All chunks, but no `[DONE]`. */
  'end-without-done': stream(events.slice(0, -1)),
  /** Bytes that are not HTTP. */
  garbage: garbage(),
  /** A correct head, then bytes that are no chunked body. */
  'garbage-body': [head(), garbage()],
  /** An HTML page with status 200. */
  html: reply('<html><body>Welcome</body></html>', { headers: { 'content-type': 'text/html' } }),
  /** A stream with the content type of JSON. */
  'wrong-content-type': stream(events, { headers: { 'content-type': 'application/json' } }),
  /** Status 200 and no body. */
  empty: reply(),
  'invalid-json': reply('{"id":"chatcmpl-up'),
  'invalid-json-event': stream(sse(['{"id":"chatcmpl-up'])),
  'invalid-utf-8': [stream(begun), body(Uint8Array.of(0x64, 0x61, 0x74, 0x61, 0x3a, 0xc3, 0x28, 10, 10))],
  'content-length-too-long': [reply(completion(), { contentLength: 100_000 }), hang()],
  /** Half of the JSON is behind the end of the response. */
  'content-length-too-short': [reply(completion(), { contentLength: 20 })],
  /** An event that never ends. */
  'flood-one-event': [head(), body('data: '), flood({ unit: 'x'.repeat(1024) })],
  /** Events without end. */
  flood: flood(),
  /** Responds before it reads the body, then closes the connection. */
  'early-answer': early(reply(error, { status: 503 })),
  /** Responds and resets the connection before it reads the body. */
  'early-reset': early([reply(error, { status: 503 }), reset()], 'leave'),
  /** A 307 redirect to another origin. */
  redirect: redirect('http://127.0.0.1:9/elsewhere'),
  /** A correct response, then a second one without a request. */
  unsolicited: unsolicited(reply(completion()), reply(completion({ text: 'for somebody else' }))),
  /** Status 200, and an error as the first event. */
  'error-first': stream(sse([error], { done: false })),
  'error-mid-stream': [stream(begun), stream(sse([error], { done: false })), end()],
} satisfies Record<string, Script>

/** A key of `misbehaviours`. */
export type Misbehaviour = keyof typeof misbehaviours

/** Starts an upstream that misbehaves in the same way for each request. */
export function startMisbehavingUpstream(name: Misbehaviour): Promise<Upstream> {
  return startUpstream(misbehaviours[name])
}
