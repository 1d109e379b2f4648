import type { JsonObject } from '../protocol/chat.ts'

/** One text to embed, or its token ids. */
export type EmbeddingInput = string | readonly number[]

/** How vectors are written: as arrays of numbers, or as base64 of little-endian float32 values. */
export type EmbeddingEncoding = 'float' | 'base64'

/** A validated request for embeddings, in any dialect. */
export interface EmbedRequest {
  /** The name of the caller's dialect: `embeddings`. */
  readonly dialect: string
  readonly model: string
  /** The caller's body as it was parsed, in its dialect. Not to be changed. */
  readonly body: JsonObject
  /** At least one. */
  readonly inputs: readonly EmbeddingInput[]
  readonly encoding: EmbeddingEncoding
  /** The length of the vectors. Default: the model's own. */
  readonly dimensions?: number | undefined
  /** The end user, as the caller names it. */
  readonly user?: string | undefined
  /** Fields that the protocol does not name, such as `input_type`: passed to vendors that know them. */
  readonly extra?: JsonObject | undefined
}

/**
 * One vector: as its vendor wrote it, so that it need not be parsed where the caller wants the same, or as numbers. `json` is the
 * text of a JSON array of numbers. `base64` is that of little-endian float32 values.
 */
export type EmbeddingVector =
  | { readonly kind: 'json'; readonly text: string }
  | { readonly kind: 'base64'; readonly text: string }
  | { readonly kind: 'values'; readonly values: ArrayLike<number> }
