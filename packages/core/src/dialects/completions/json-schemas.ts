import type { JsonObject } from '../../protocol/chat.ts'
import { componentsPath } from '../../validation/json-schema-of.ts'

const requestName = 'TextCompletionRequest'
const answerName = 'TextCompletion'

/** References to the schemas of the request and the response. */
export const completionReferences = {
  request: { $ref: componentsPath + requestName },
  answer: { $ref: componentsPath + answerName },
} as const satisfies Record<string, JsonObject>

/** Returns the named JSON Schemas of text completions. What only the vendor can judge has no schema. */
export function completionSchemas(unknownParameters: 'pass' | 'reject'): Record<string, JsonObject> {
  const request = {
    type: 'object',
    properties: {
      model: { type: 'string', minLength: 1 },
      prompt: {
        description: 'A text or token ids, or several of them.',
        anyOf: [
          { type: 'string' },
          { type: 'array', minItems: 1, items: { type: 'string' } },
          { type: 'array', minItems: 1, items: tokenId },
          { type: 'array', minItems: 1, items: { type: 'array', minItems: 1, items: tokenId } },
          { type: 'null' },
        ],
      },
      max_tokens: { type: ['integer', 'null'], minimum: 0 },
      n: { type: ['integer', 'null'], minimum: 1, maximum: 128 },
      best_of: { type: ['integer', 'null'], minimum: 1, maximum: 128 },
      stream: { type: ['boolean', 'null'] },
      stream_options: { type: ['object', 'null'] },
      echo: { type: ['boolean', 'null'] },
      ...Object.fromEntries(judged.map(name => [name, {}])),
    },
    required: ['model'],
    additionalProperties: unknownParameters === 'pass',
  }
  return { [requestName]: request, [answerName]: answer }
}

const tokenId: JsonObject = { type: 'integer', minimum: 0 }

/** The other fields of the protocol. */
const judged = [
  'frequency_penalty',
  'logit_bias',
  'logprobs',
  'presence_penalty',
  'seed',
  'stop',
  'suffix',
  'temperature',
  'top_p',
  'user',
]

const answer: JsonObject = {
  type: 'object',
  description: 'As the vendor wrote it, under the public name of the model.',
  properties: {
    id: { type: 'string' },
    object: { type: 'string' },
    model: { type: 'string' },
    choices: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          index: { type: 'integer', minimum: 0 },
          text: { type: 'string' },
          finish_reason: { type: ['string', 'null'] },
        },
        required: ['text'],
      },
    },
    usage: { type: ['object', 'null'] },
  },
  required: ['choices'],
}
