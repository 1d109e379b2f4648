import { GatewayError } from '@sluice/core'
import type { ChatRequest, Transport, TransportResponse } from '@sluice/core/provider'
import { wallClock } from '../wire/wall-clock.ts'
import { createAnswer } from './answer.ts'
import { countPieces, createCompletion } from './completion.ts'
import { embeddingsError, embeddingsJson, embeddingsUrl, type LocalEmbeddings } from './embeddings.ts'
import type { LocalFaults } from './faults.ts'
import { drawFault } from './faults.ts'
import { hash } from './hash.ts'
import type { LocalPace } from './pace.ts'
import { delaysOf, sleep } from './pace.ts'
import { type LocalRerank, rerankError, rerankJson, rerankUrl } from './rerank.ts'
import { responseBody } from './response-body.ts'
import type { LocalScript } from './script.ts'
import { type FakeReply, takeReply } from './script.ts'
import { completionEvents, completionJson, errorBody, jsonEvents } from './wire.ts'

/** Creates a server of chat completions, embeddings and rankings without a socket: it takes a request's bytes and returns an answer's bytes. */
export function createServer(options: LocalOptions): Transport {
  const { pace = {}, now = wallClock } = options
  let calls = 0
  let embeddings = 0
  let rankings = 0
  return async ({ url, body }, signal) => {
    signal.throwIfAborted()
    const json = typeof body === 'string' ? body : new TextDecoder().decode(body)
    if (url === embeddingsUrl) {
      const request: LocalEmbeddings = JSON.parse(json)
      const error = embeddingsError(request, options.contextWindow)
      return answer(() => embeddingsJson(request), error, options, embeddings++, signal)
    }
    if (url === rerankUrl) {
      const request: LocalRerank = JSON.parse(json)
      const error = rerankError(request, options.contextWindow)
      return answer(() => rerankJson(request), error, options, rankings++, signal)
    }
    const call = calls++
    const request: ChatRequest = JSON.parse(json)
    const reply = await replyTo(request, call, options)
    const { chunkDelayMs } = reply
    const failure = await errorResponse(reply, signal)
    if (failure !== undefined) return failure
    const headers = jsonHeaders()
    const seed = `${hash(json).toString(36)}.${hash(json, 1).toString(36)}`
    const completion = createCompletion(reply, request, seed, now())
    const delayOf = chunkDelayMs === undefined ? delaysOf(pace, hash(seed)) : () => chunkDelayMs
    if (request.stream === true) {
      headers.set('content-type', 'text/event-stream; charset=utf-8')
      const events = completionEvents(completion, request)
      return { status: 200, headers, body: responseBody(events, reply, delayOf, signal) }
    }
    // An answer that is not streamed takes as long as its stream.
    let delay = 0
    for (let piece = 0, pieces = countPieces(completion); piece < pieces; piece++) delay += delayOf(piece)
    if (delay > 0) await sleep(delay, signal)
    const events = jsonEvents(completionJson(completion, request))
    return { status: 200, headers, body: responseBody(events, reply, () => 0, signal) }
  }
}

/** Waits as a reply says, and returns its error, if that is all of it. */
async function errorResponse(
  { hang, delayMs = 0, error, errorAfter }: FakeReply,
  signal: AbortSignal,
): Promise<TransportResponse | undefined> {
  if (hang === 'before-headers') await sleep(Number.POSITIVE_INFINITY, signal)
  if (delayMs > 0) await sleep(delayMs, signal)
  if (error === undefined || errorAfter !== undefined) return undefined
  const headers = jsonHeaders()
  if (error.retryAfter !== undefined) headers.set('retry-after', String(error.retryAfter))
  const body = responseBody(jsonEvents(errorBody(error)), {}, () => 0, signal)
  return { status: error.status ?? 500, headers, body }
}

function jsonHeaders(): Headers {
  return new Headers({ 'content-type': 'application/json' })
}

/** Answers with what `write` returns, or with the faults of the options. A script is of chat completions only. */
async function answer(
  write: () => string,
  refusal: FakeReply['error'],
  { faults = {} }: LocalOptions,
  call: number,
  signal: AbortSignal,
): Promise<TransportResponse> {
  const fault = drawFault(faults, call)
  const error = fault.error ?? refusal
  const reply = error === undefined ? fault : { ...fault, error }
  const failure = await errorResponse(reply, signal)
  if (failure !== undefined) return failure
  const events = jsonEvents(write())
  return { status: 200, headers: jsonHeaders(), body: responseBody(events, reply, () => 0, signal) }
}

async function replyTo(request: ChatRequest, call: number, options: LocalOptions): Promise<FakeReply> {
  const { script, faults = {}, contextWindow } = options
  if (script === undefined) {
    const fault = drawFault(faults, call)
    return fault.error === undefined ? { ...fault, ...createAnswer(request, contextWindow) } : fault
  }
  try {
    return await takeReply(script, request, call)
  } catch (cause) {
    // A script that cannot answer is its owner's mistake: the gateway does not fall back to another target.
    if (GatewayError.is(cause)) throw cause
    const message = cause instanceof Error ? cause.message : String(cause)
    throw new GatewayError('server_error', { message, cause })
  }
}

/** Options of `local()`. */
export interface LocalOptions {
  /** The response speed. Default: as fast as the client reads. */
  readonly pace?: LocalPace
  /** Fault injection: errors, broken streams, timeouts. Not with `script`. */
  readonly faults?: LocalFaults
  /** Fixed responses, in place of generated ones. */
  readonly script?: LocalScript
  /** The maximum tokens of prompt and response together; a longer prompt gets a 400. Default: no limit. */
  readonly contextWindow?: number
  /** The time in milliseconds since 1970. Default `Date.now`. */
  readonly now?: () => number
  /** The maximum number of concurrent calls; further calls wait. Default: no maximum. */
  readonly maxConcurrent?: number
}
