import type { PartialChunk, PartialCompletion, Reply } from '../contracts/provider.ts'
import { chunksOfCompletion, foldChunks } from '../usage/fold-chunks.ts'

/** A vendor's complete response: by choice, and in the order in which it was generated. Each is computed when it is first read. */
export class CompleteReply {
  #completion: PartialCompletion | undefined
  #chunks: readonly PartialChunk[] | undefined

  constructor(reply: Exclude<Reply, { kind: 'stream' }>) {
    if (reply.kind === 'chunks') this.#chunks = reply.chunks
    else this.#completion = reply.completion
  }

  get completion(): PartialCompletion {
    this.#completion ??= foldChunks(this.#chunks!)
    return this.#completion
  }

  get chunks(): readonly PartialChunk[] {
    this.#chunks ??= chunksOfCompletion(this.#completion!)
    return this.#chunks
  }
}
