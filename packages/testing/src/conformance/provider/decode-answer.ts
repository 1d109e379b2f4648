import { type ChatRequest, type Target, UpstreamError } from '@sluice/core'
import type { Call, PartialChunk, PartialCompletion, UpstreamResponse } from '@sluice/core/provider'
import { plainRequest } from './requests.ts'

/** How long one answer may take to decode, in milliseconds. */
const limitMs = 5_000

/** What `decode` gave for one response: what it read, and what it threw. */
export interface Decoded {
  readonly completion?: PartialCompletion
  /** The completion in the order in which it was generated, if the provider gives it. */
  readonly ordered?: readonly PartialChunk[]
  /** The chunks of all reads, joined. */
  readonly chunks: readonly PartialChunk[]
  /** What ended the answer before its end. */
  readonly failure?: unknown
}

/** The call to `target` for a request with these fields. */
export function callOf({ model, capabilities }: Target, fields: Partial<ChatRequest> = {}): Call {
  const input: ChatRequest = { ...plainRequest, ...fields }
  return capabilities === undefined ? { input, model } : { input, model, capabilities }
}

/** Decodes a response to its end. Rejects, with the name of the sample, where that takes longer than 5 seconds. */
export async function decodeAnswer(
  target: Target,
  call: Call,
  response: UpstreamResponse,
  sample: string,
): Promise<Decoded> {
  const chunks: PartialChunk[] = []
  const decoding = (async (): Promise<Decoded> => {
    try {
      const reply = await target.provider.decode(response, call)
      if (reply.kind === 'completion') {
        const { completion, ordered } = reply
        return ordered === undefined ? { completion, chunks } : { completion, ordered, chunks }
      }
      for await (const read of reply.chunks) chunks.push(...read)
      return { chunks }
    } catch (failure) {
      return { chunks, failure: failure ?? new Error('decode threw nothing') }
    }
  })()
  return inTime(decoding, `${sample}: decode did not end`)
}

/** Rejects where a promise takes longer than 5 seconds. */
export async function inTime<T>(promise: PromiseLike<T>, problem: string): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${problem} within ${limitMs} ms`)), limitMs)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}

/** Decodes a complete response. Rejects where `decode` throws. */
export async function decodeComplete(
  target: Target,
  call: Call,
  response: UpstreamResponse,
  sample: string,
): Promise<Decoded> {
  const decoded = await decodeAnswer(target, call, response, sample)
  if (!('failure' in decoded)) return decoded
  throw new Error(`${sample}: decode threw ${decoded.failure}`, { cause: decoded.failure })
}

/** Decodes a broken response to its `UpstreamError`. Rejects where there is another failure, or none. */
export async function decodeFailure(
  target: Target,
  call: Call,
  response: UpstreamResponse,
  sample: string,
): Promise<UpstreamError> {
  const { failure } = await decodeAnswer(target, call, response, sample)
  if (UpstreamError.is(failure)) return failure
  if (failure === undefined)
    throw new Error(`${sample}: decode reported a complete answer, expected an UpstreamError`)
  throw new Error(`${sample}: decode threw ${failure}, expected an UpstreamError`, { cause: failure })
}
