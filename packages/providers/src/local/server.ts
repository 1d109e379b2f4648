import { type ChatRequest, GatewayError, type Transport, type TransportResponse } from '@sluice/core'
import { type Delivery, streamBody, wholeBody } from './body.ts'
import type { Completion } from './completion.ts'
import { compose } from './compose.ts'
import { type Fate, type Faults, fateOf } from './faults.ts'
import { hash, hashedId } from './hash.ts'
import { type Pace, waitsOf } from './pace.ts'
import { pause } from './pause.ts'
import { errorBody, Refused } from './refused.ts'
import { type Script, type ScriptedReply, scriptedReply } from './script.ts'
import { scriptedCompletion, scriptedMishap, scriptedRefusal } from './scripted-completion.ts'
import { completionEvents, completionJson } from './wire.ts'

/** What the server in this process is made of. */
export interface ServerOptions {
  readonly pace: Pace
  readonly faults: Faults
  readonly script?: Script
  readonly contextWindow?: number
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** A chat-completions server without a socket: it takes a request's bytes and gives an answer's bytes. */
export function localServer(options: ServerOptions): Transport {
  let calls = 0
  return async ({ body }, signal) => {
    signal.throwIfAborted()
    const call = calls++
    const json = typeof body === 'string' ? body : new TextDecoder().decode(body)
    const request: ChatRequest = JSON.parse(json)
    const seed = `${hash(json).toString(36)}.${hash(json, 1).toString(36)}`
    try {
      return options.script === undefined
        ? await answerItself(request, seed, fateOf(options.faults, call), options, signal)
        : await answerByScript(request, seed, await replyOf(options.script, request, call), options, signal)
    } catch (error) {
      if (error instanceof Refused) return refusalResponse(error, signal)
      throw error
    }
  }
}

async function answerItself(
  request: ChatRequest,
  seed: string,
  fate: Fate,
  options: ServerOptions,
  signal: AbortSignal,
): Promise<TransportResponse> {
  if (fate.hangs === true) await pause(Number.POSITIVE_INFINITY, signal)
  if (fate.latencyMs > 0) await pause(fate.latencyMs, signal)
  if (fate.refusal !== undefined) throw new Refused(fate.refusal)
  const { contextWindow } = options
  const now = options.now()
  const completion = compose(request, {
    now,
    seed,
    ...(contextWindow === undefined ? {} : { contextWindow }),
  })
  const delivery = {
    waitBefore: waitsOf(options.pace, hash(seed)),
    ...(fate.mishap ? { mishap: fate.mishap } : {}),
  }
  return respond(completion, request, seed, delivery, now, signal)
}

async function answerByScript(
  request: ChatRequest,
  seed: string,
  reply: ScriptedReply,
  options: ServerOptions,
  signal: AbortSignal,
): Promise<TransportResponse> {
  if (reply.hang === 'before-headers') await pause(Number.POSITIVE_INFINITY, signal)
  if (reply.delayMs !== undefined && reply.delayMs > 0) await pause(reply.delayMs, signal)
  if (reply.error !== undefined && reply.errorAfter === undefined)
    throw new Refused(scriptedRefusal(reply.error))
  const { chunkDelayMs } = reply
  const mishap = scriptedMishap(reply)
  const waitBefore = chunkDelayMs === undefined ? waitsOf(options.pace, hash(seed)) : () => chunkDelayMs
  const completion = scriptedCompletion(reply, request, seed)
  return respond(
    completion,
    request,
    seed,
    { waitBefore, ...(mishap ? { mishap } : {}) },
    options.now(),
    signal,
  )
}

/** A script that cannot answer is a fault of its owner: no other target is asked, and the text says what to do. */
async function replyOf(script: Script, request: ChatRequest, call: number): Promise<ScriptedReply> {
  try {
    return await scriptedReply(script, request, call)
  } catch (cause) {
    if (GatewayError.is(cause)) throw cause
    throw new GatewayError('server_error', {
      message: cause instanceof Error ? cause.message : String(cause),
      cause,
    })
  }
}

async function respond(
  completion: Completion,
  request: ChatRequest,
  seed: string,
  delivery: Delivery,
  now: number,
  signal: AbortSignal,
): Promise<TransportResponse> {
  const head = { id: `chatcmpl-${hashedId(seed)}`, created: Math.floor(now / 1000), model: request.model }
  if (request.stream === true) {
    const events = completionEvents(completion, head, request.stream_options?.include_usage === true)
    return response(
      200,
      { 'content-type': 'text/event-stream; charset=utf-8' },
      streamBody(events, delivery, signal),
    )
  }
  const wait = waitOf(completion, delivery)
  if (wait > 0) await pause(wait, signal)
  return response(
    200,
    { 'content-type': 'application/json' },
    wholeBody(completionJson(completion, head), delivery.mishap, signal),
  )
}

/** A whole answer takes as long as its stream would. */
function waitOf({ choices }: Completion, { waitBefore }: Delivery): number {
  let pieces = 0
  for (const { content, refusal, reasoning, calls, functionCall } of choices) {
    pieces +=
      (content?.length ?? 0) +
      (refusal?.length ?? 0) +
      (reasoning?.length ?? 0) +
      (functionCall?.input.length ?? 0)
    for (const { input } of calls ?? []) pieces += input.length
  }
  let wait = 0
  for (let piece = 0; piece < pieces; piece++) wait += waitBefore(piece)
  return wait
}

function refusalResponse({ details }: Refused, signal: AbortSignal): TransportResponse {
  const { status, retryAfter } = details
  const headers = {
    'content-type': 'application/json',
    ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
  }
  return response(status, headers, wholeBody(errorBody(details), undefined, signal))
}

function response(
  status: number,
  headers: Readonly<Record<string, string>>,
  body: AsyncIterable<Uint8Array>,
): TransportResponse {
  return {
    status,
    headers: {
      get: name => (Object.hasOwn(headers, name.toLowerCase()) ? headers[name.toLowerCase()]! : null),
    },
    body,
  }
}
