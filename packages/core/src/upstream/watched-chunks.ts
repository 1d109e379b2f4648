import type { PartialChunk } from '../contracts/provider.ts'

type Chunks = AsyncIterator<readonly PartialChunk[]>

/** Who reads chunks: what each read comes to, or why there is none. */
export interface ChunkReader {
  nextOf(chunks: Chunks): ReturnType<Chunks['next']>
}

/** The chunks of an answer, each read of which somebody watches. */
export class WatchedChunks implements Chunks {
  readonly #reader: ChunkReader
  readonly #chunks: Chunks

  constructor(reader: ChunkReader, chunks: Chunks) {
    this.#reader = reader
    this.#chunks = chunks
  }

  next(): ReturnType<Chunks['next']> {
    return this.#reader.nextOf(this.#chunks)
  }

  async return(): ReturnType<Chunks['next']> {
    await this.#chunks.return?.()
    return { done: true, value: undefined }
  }
}
