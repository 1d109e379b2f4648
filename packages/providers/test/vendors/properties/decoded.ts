import {
  type Call,
  type PartialChunk,
  type PartialCompletion,
  type Target,
  UpstreamError,
  type UpstreamResponse,
} from '@sluice/core/provider'

/** What came of an answer: its parts, and the failure that ended it. */
export interface Decoded {
  readonly parts: readonly (PartialChunk | PartialCompletion)[]
  readonly failure: UpstreamError | undefined
}

/** Reads bytes as a vendor's answer. Throws whatever is thrown that is no `UpstreamError`. */
export async function decoded(
  { provider, model, capabilities = {} }: Target,
  type: string,
  reads: readonly Uint8Array[],
  stream: boolean,
): Promise<Decoded> {
  const input = { model: 'm', messages: [{ role: 'user' as const, content: 'Hello' }], stream }
  const call: Call = { input, model, capabilities }
  const parts: (PartialChunk | PartialCompletion)[] = []
  try {
    const reply = await provider.decode(responseOf(type, reads), call)
    if (reply.kind === 'completion') parts.push(reply.completion)
    else for await (const chunks of reply.chunks) parts.push(...chunks)
    return { parts, failure: undefined }
  } catch (failure) {
    if (!UpstreamError.is(failure)) throw failure
    return { parts, failure }
  }
}

function responseOf(type: string, reads: readonly Uint8Array[]): UpstreamResponse {
  async function* body() {
    yield* reads
  }
  return {
    status: 200,
    headers: new Headers({ 'content-type': type }),
    body: body(),
    text: async () => Buffer.concat(reads).toString(),
  }
}
