import type { PartialChunk, PartialCompletion, Reply } from '../contracts/provider.ts'
import { memberOf } from '../primitives/own-members.ts'
import { chunksOfCompletion } from '../usage/fold-chunks.ts'

/** A vendor's complete response: by choice, and in the order in which it was generated. */
export class CompleteReply {
  readonly completion: PartialCompletion
  #chunks: readonly PartialChunk[] | undefined

  constructor(reply: Extract<Reply, { kind: 'completion' }>) {
    this.completion = reply.completion
    this.#chunks = memberOf(reply, 'ordered')
  }

  /** Computed when it is first read. */
  get chunks(): readonly PartialChunk[] {
    this.#chunks ??= chunksOfCompletion(this.completion)
    return this.#chunks
  }
}
