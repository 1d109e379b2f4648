import type { RerankCall, RerankReply, UpstreamResponse } from '@sluice/core/provider'
import { decodeRerankAs, rerankBody } from '../rerank/rerank-codec.ts'
import type { RerankCompatibility } from '../rerank/rerank-compatibility.ts'
import { parseBedrockError } from './errors.ts'

/** Models of both publishers have Cohere's fields in InvokeModel (AWS, "Rerank"; Cohere, "Cohere on AWS"). */
const compatibility: RerankCompatibility = { fields: ['max_tokens_per_doc'] }

/** Bedrock takes at most 1,000 documents. */
export const maxBedrockDocuments = 1_000

/** Writes the body of InvokeModel. Cohere's models want the version of their API in it. */
export function bedrockRerankBody(call: RerankCall) {
  const { body, list } = rerankBody(call, compatibility)
  const version = /\bcohere\.rerank/.test(call.model) ? { api_version: 2 } : {}
  return { body: { ...body, ...version }, adjustments: list }
}

/** Decodes a response of InvokeModel. Rejects as `decodeRerank` does. */
export function decodeBedrockRerank(response: UpstreamResponse): Promise<RerankReply> {
  return decodeRerankAs(response, parseBedrockError)
}
