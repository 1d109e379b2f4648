import type { JsonObject } from '../../protocol/chat.ts'
import { componentsPath, JsonSchemas, orNull } from '../../validation/json-schema-of.ts'
import { emptyQueryIssue, rerankSchemas } from './schema.ts'

const requestName = 'RerankRequest'
const answerName = 'Rerank'
const errorName = 'RerankError'

/** References to the schemas of the request, the response and its errors. */
export const rerankReferences = {
  request: { $ref: componentsPath + requestName },
  answer: { $ref: componentsPath + answerName },
  error: { $ref: componentsPath + errorName },
} as const satisfies Record<string, JsonObject>

/** Returns the named JSON Schemas of rankings. Those of requests are derived from the schemas that validate them. */
export function rerankJsonSchemas(unknownParameters: 'pass' | 'reject'): Record<string, JsonObject> {
  const { model, query, documents, ...fields } = rerankSchemas
  const schemas = new JsonSchemas(new Map(), new Map([[emptyQueryIssue, { minLength: 1 }]]))
  const optional = Object.entries(fields).map(([name, schema]) => [name, orNull(schemas.of(schema))])
  const request = {
    type: 'object',
    properties: {
      model: { ...schemas.of(model), minLength: 1 },
      query: schemas.of(query),
      documents: schemas.of(documents),
      ...Object.fromEntries(optional),
    },
    required: ['model', 'query', 'documents'],
    additionalProperties: unknownParameters === 'pass',
  }
  return { [requestName]: request, [answerName]: answer, [errorName]: error }
}

const count: JsonObject = { type: 'integer', minimum: 0 }

const answer: JsonObject = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    results: {
      type: 'array',
      description: 'The most relevant document first.',
      items: {
        type: 'object',
        properties: {
          index: count,
          relevance_score: { type: 'number' },
          document: { type: 'object', description: 'With `return_documents`: the document of the request.' },
        },
        required: ['index', 'relevance_score'],
      },
    },
    meta: {
      type: 'object',
      properties: {
        api_version: { type: 'object', properties: { version: { type: 'string' } }, required: ['version'] },
        billed_units: { type: 'object', properties: { search_units: count } },
        tokens: { type: 'object', properties: { input_tokens: count } },
      },
      required: ['api_version'],
    },
  },
  required: ['id', 'results', 'meta'],
}

const error: JsonObject = {
  type: 'object',
  properties: { id: { type: 'string' }, message: { type: 'string' } },
  required: ['id', 'message'],
}
