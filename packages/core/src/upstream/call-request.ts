import type { EmbeddingInput, EmbedRequest } from '../contracts/embedding.ts'
import type { GenerateRequest } from '../conversation/generate-request.ts'

/** What upstreams are asked for: a generated answer, embeddings, or a number of tokens. */
export type CallRequest = GenerateRequest | EmbedPart | CountRequest

/** Inputs of a request for embeddings that are embedded in one call. */
export class EmbedPart {
  readonly stream = false
  readonly request: EmbedRequest
  readonly inputs: readonly EmbeddingInput[]

  constructor(request: EmbedRequest, inputs: readonly EmbeddingInput[]) {
    this.request = request
    this.inputs = inputs
  }
}

/** A request for the number of tokens of a prompt. */
export class CountRequest {
  readonly stream = false
  readonly request: GenerateRequest

  constructor(request: GenerateRequest) {
    this.request = request
  }
}
