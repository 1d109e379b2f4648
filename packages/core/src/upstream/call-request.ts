import type { EmbeddingInput, EmbedRequest } from '../contracts/embedding.ts'
import type { ModerateRequest } from '../contracts/moderation.ts'
import type { RerankRequest } from '../contracts/rerank.ts'
import type { GenerateRequest } from '../conversation/generate-request.ts'

/** What upstreams are asked for: a generated answer, embeddings, a number of tokens, an order of documents, or a moderation. */
export type CallRequest = GenerateRequest | EmbedPart | CountRequest | RerankCallRequest | ModerateCallRequest

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

/** A request to rank documents. */
export class RerankCallRequest {
  readonly stream = false
  readonly request: RerankRequest

  constructor(request: RerankRequest) {
    this.request = request
  }
}

/** A request to moderate texts. */
export class ModerateCallRequest {
  readonly stream = false
  readonly request: ModerateRequest

  constructor(request: ModerateRequest) {
    this.request = request
  }
}

/** Returns the inputs by which the tokens of a call are estimated, where it is not for a generated answer. */
export function inputsOf(request: CallRequest): readonly EmbeddingInput[] | undefined {
  if (request instanceof EmbedPart) return request.inputs
  const isSingle = request instanceof RerankCallRequest || request instanceof ModerateCallRequest
  return isSingle ? request.request.inputs : undefined
}
