import type { JsonObject } from '../../protocol/chat.ts'
import { componentsPath, JsonSchemas, orNull } from '../../validation/json-schema-of.ts'
import { embeddingSchemas, emptyTextIssue } from './schema.ts'

const requestName = 'EmbeddingsRequest'
const answerName = 'Embeddings'

/** A reference to the schema of the request. */
export const embeddingsRequestReference: JsonObject = { $ref: componentsPath + requestName }

/** A reference to the schema of the response. */
export const embeddingsReference: JsonObject = { $ref: componentsPath + answerName }

/** Returns the named JSON Schemas of embeddings. Those of requests are derived from the schemas that validate them. */
export function embeddingsSchemas(unknownParameters: 'pass' | 'reject'): Record<string, JsonObject> {
  const { model, input, dimensions, ...fields } = embeddingSchemas
  const schemas = new JsonSchemas(new Map(), new Map([[emptyTextIssue, { minLength: 1 }]]))
  const optional = Object.entries(fields).map(([name, schema]) => [name, orNull(schemas.of(schema))])
  const request = {
    type: 'object',
    properties: {
      model: { ...schemas.of(model), minLength: 1 },
      input: schemas.of(input),
      dimensions: orNull({ ...schemas.of(dimensions), minimum: 1 }),
      ...Object.fromEntries(optional),
    },
    required: ['model', 'input'],
    additionalProperties: unknownParameters === 'pass',
  }
  return { [requestName]: request, [answerName]: answer }
}

const count: JsonObject = { type: 'integer', minimum: 0 }

const usage: JsonObject = {
  type: 'object',
  properties: {
    prompt_tokens: count,
    total_tokens: count,
    cost: { type: 'number', description: 'US dollars, for callers who may see it.' },
  },
  required: ['prompt_tokens', 'total_tokens'],
}

const entry: JsonObject = {
  type: 'object',
  properties: {
    object: { type: 'string', const: 'embedding' },
    index: count,
    embedding: {
      description: 'Numbers, or with `encoding_format: "base64"` the base64 of little-endian float32 values.',
      anyOf: [
        { type: 'array', items: { type: 'number' } },
        { type: 'string', contentEncoding: 'base64' },
      ],
    },
  },
  required: ['object', 'index', 'embedding'],
}

const answer: JsonObject = {
  type: 'object',
  properties: {
    object: { type: 'string', const: 'list' },
    data: { type: 'array', items: entry },
    model: { type: 'string' },
    usage,
  },
  required: ['object', 'data', 'model', 'usage'],
}
