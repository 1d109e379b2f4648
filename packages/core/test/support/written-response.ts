import type { PartialChunk, PartialMessage } from '../../src/contracts/provider.ts'
import { responsesOutline } from '../../src/dialects/responses/outline.ts'
import { readResponses } from '../../src/dialects/responses/read.ts'
import { ResponsesStreamWriter } from '../../src/dialects/responses/stream-writer.ts'
import { StreamNormalizer } from '../../src/normalization/stream.ts'
import type { FinishReason, JsonObject, Usage } from '../../src/protocol/chat.ts'

/** What an answer has used. */
export const usage: Usage = {
  prompt_tokens: 100,
  completion_tokens: 7,
  total_tokens: 107,
  prompt_tokens_details: { cached_tokens: 60, audio_tokens: 0, cache_write_tokens: 30 },
  completion_tokens_details: {
    reasoning_tokens: 3,
    audio_tokens: 0,
    accepted_prediction_tokens: 0,
    rejected_prediction_tokens: 0,
  },
}

export const identity = { id: 'resp_1', created: 1, model: 'public', now: () => 9, realm: () => 'ab' }

/** Returns a request in the Responses API with these fields. */
export function requestFor(fields: JsonObject = {}) {
  const body = { model: 'public', input: 'Hi', ...fields }
  const draft = {
    dialect: 'responses',
    operation: 'generate',
    model: 'public',
    body,
    bytes: 9,
    outline: responsesOutline(body, 9),
  } as const
  const extensions = { possible: false, passes: false, accept: () => false }
  return readResponses(draft, { profile: 'schema', unknownParameters: 'pass' }, extensions).request
}

/** Returns a writer for the answer to a request with these fields. */
export function writerFor(fields?: JsonObject): ResponsesStreamWriter {
  let ids = 0
  return new ResponsesStreamWriter(identity, requestFor(fields), () => `id-${++ids}`)
}

/** Returns what repairs the chunks of a vendor. */
export function normalizerFor(): StreamNormalizer {
  let ids = 0
  return new StreamNormalizer(() => `call-${++ids}`, { choices: 1, logprobs: true })
}

export const chunk = (delta: PartialMessage): PartialChunk => ({ choices: [{ index: 0, delta }] })

export const finish = (finish_reason: FinishReason, more: object = {}): PartialChunk => ({
  choices: [{ index: 0, delta: {}, finish_reason, ...more }],
})

/** The stream of a vendor's reads, written as the gateway does. */
export function written(reads: readonly (readonly PartialChunk[])[], fields?: JsonObject): string {
  const normalizer = normalizerFor()
  const writer = writerFor(fields)
  let out = writer.open()
  for (const chunks of reads) out += writer.push(normalizer.push(chunks))
  return out + writer.end(normalizer.end(), normalizer, { ...usage })
}
