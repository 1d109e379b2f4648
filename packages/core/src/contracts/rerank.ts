import type { JsonObject } from '../protocol/chat.ts'

/** A validated request to rank documents, in any dialect. */
export interface RerankRequest {
  /** The name of the caller's dialect: `rerank`. */
  readonly dialect: string
  readonly model: string
  /** The caller's body as it was parsed, in its dialect. Not to be changed. */
  readonly body: JsonObject
  readonly query: string
  /** The texts to rank, at least one. */
  readonly documents: readonly string[]
  /** Maximum number of results. Default: one for each document. */
  readonly topN?: number | undefined
  /** What a model reads: the query with each document. Tokens are estimated by it. */
  readonly inputs: readonly string[]
  /** Fields that the protocol does not name: passed to vendors that know them. */
  readonly extra?: JsonObject | undefined
}

/** How relevant a document is to the query. */
export interface RerankResult {
  /** The index of the document in the request. */
  readonly index: number
  /** Higher is more relevant. Scores of different models cannot be compared. */
  readonly score: number
}
