import {
  type Call,
  type PartialChunk,
  type PartialCompletion,
  type Reply,
  UpstreamError,
  type UpstreamResponse,
} from '@sluice/core/provider'
import { scriptedResponse } from './scripted-response.ts'

/** A vendor's recorded answer, for tests. */
export interface RecordedAnswer {
  readonly status: number
  readonly stream: boolean
}

/** What a provider made of an answer. */
export interface Decoded {
  readonly completion?: PartialCompletion
  /** Of a stream, all that came, also before it failed. */
  readonly chunks?: PartialChunk[]
  /** The `UpstreamError`'s own fields. */
  readonly failure?: Pick<
    UpstreamError,
    'kind' | 'status' | 'code' | 'type' | 'param' | 'message' | 'vendorMessage' | 'retryAfterMs'
  >
}

/** Decodes an answer that comes in these reads. Throws where the provider throws anything but `UpstreamError`. */
export async function decodedBy(
  decode: (response: UpstreamResponse, call: Call) => Reply | Promise<Reply>,
  { status, stream }: RecordedAnswer,
  body: Iterable<Uint8Array>,
  model = 'm',
): Promise<Decoded> {
  const input: Call['input'] = { model: 'public', messages: [{ role: 'user', content: 'x' }], stream }
  const headers = { 'content-type': stream ? 'text/event-stream; charset=utf-8' : 'application/json' }
  const chunks: PartialChunk[] = []
  try {
    const reply = await decode(scriptedResponse({ status, headers, body }), { model, input })
    if (reply.kind === 'completion') return { completion: reply.completion }
    for await (const batch of reply.chunks) {
      if (batch.length === 0) throw new Error('A read that added nothing was told.')
      chunks.push(...batch)
    }
    return { chunks }
  } catch (error) {
    if (!UpstreamError.is(error)) throw error
    const { kind, status: told, code, type, param, message, vendorMessage, retryAfterMs } = error
    return {
      chunks,
      failure: { kind, status: told, code, type, param, message, vendorMessage, retryAfterMs },
    }
  }
}

/** Bytes in pieces of these sizes. */
export function* cut(bytes: Uint8Array, size: () => number): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; ) {
    const next = at + size()
    yield bytes.subarray(at, next)
    at = next
  }
}

/** A seeded generator of numbers from 0 up to 1 (Lehmer). */
export function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}
