import type { PartialChunk, PartialCompletion, Reply } from '../contracts/provider.ts'
import { memberOf } from '../primitives/own-members.ts'
import { chunksOfCompletion } from '../usage/fold-chunks.ts'

/** A vendor's complete response: by choice, and in the order in which it was generated. */
export class CompleteReply {
  readonly completion: PartialCompletion
  /** The JSON text of the vendor's answer, in the caller's dialect. */
  readonly native: string | undefined
  #chunks: readonly PartialChunk[] | undefined

  /** @param native - whether the vendor was called in the caller's dialect. */
  constructor(reply: Extract<Reply, { kind: 'completion' }>, native = false) {
    this.completion = reply.completion
    this.native = native ? memberOf(reply, 'native') : undefined
    this.#chunks = memberOf(reply, 'ordered')
  }

  /** Computed when it is first read. */
  get chunks(): readonly PartialChunk[] {
    this.#chunks ??= chunksOfCompletion(this.completion)
    return this.#chunks
  }
}
