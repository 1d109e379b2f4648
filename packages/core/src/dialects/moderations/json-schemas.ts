import type { JsonObject } from '../../protocol/chat.ts'
import { componentsPath } from '../../validation/json-schema-of.ts'

const requestName = 'ModerationRequest'
const answerName = 'Moderation'

/** References to the schemas of the request and the response. */
export const moderationReferences = {
  request: { $ref: componentsPath + requestName },
  answer: { $ref: componentsPath + answerName },
} as const satisfies Record<string, JsonObject>

/** Returns the named JSON Schemas of moderations. What only the vendor can judge has no schema. */
export function moderationSchemas(unknownParameters: 'pass' | 'reject'): Record<string, JsonObject> {
  const request = {
    type: 'object',
    properties: {
      model: { type: 'string', minLength: 1 },
      input: {
        description: 'A text, texts, or the text and images of one message.',
        anyOf: [{ type: 'string' }, { type: 'array', maxItems: 2_048 }],
      },
    },
    required: ['model', 'input'],
    additionalProperties: unknownParameters === 'pass',
  }
  return { [requestName]: request, [answerName]: answer }
}

const answer: JsonObject = {
  type: 'object',
  description: 'As the vendor wrote it, under the public name of the model.',
  properties: {
    id: { type: 'string' },
    model: { type: 'string' },
    results: { type: 'array', minItems: 1, items: { type: 'object' } },
  },
  required: ['results'],
}
