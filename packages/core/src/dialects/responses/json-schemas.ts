import type { JsonObject, JsonValue } from '../../protocol/chat.ts'
import { componentsPath, type DescribedRules, JsonSchemas, orNull } from '../../validation/json-schema-of.ts'
import { maxKeyLength, maxPairs, pairsIssue } from '../../validation/settings-schema.ts'
import { urlIssue } from '../../validation/url-issue.ts'
import { assistantIssue, fieldSchemas, fileIssue } from './schema.ts'
import { responsesFields } from './settings.ts'

const names = [
  'ResponsesRequest',
  'Response',
  'ResponseItem',
  'ResponseItemList',
  'ResponseDeletion',
  'ResponseEvent',
  'ResponseInputTokens',
] as const

/** Returns a reference to a schema of the Responses API. */
export function responsesReference(name: (typeof names)[number]): JsonObject {
  return { $ref: componentsPath + name }
}

/**
 * Returns the named JSON Schemas of the Responses API. That of requests is derived from the schemas that validate requests which are
 * translated; a vendor of the protocol may accept more.
 */
export function responsesSchemas(
  validation: 'schema' | 'live',
  unknownParameters: 'pass' | 'reject',
): Record<string, JsonObject> {
  const { model, ...fields } = fieldSchemas(validation === 'live')
  const schemas = new JsonSchemas(new Map(), describedRules)
  const optional = Object.entries(fields).map(([name, schema]) => [name, orNull(schemas.of(schema))])
  const others = Array.from(responsesFields, name => [name, true])
  return {
    ResponsesRequest: {
      type: 'object',
      properties: {
        ...Object.fromEntries(others),
        ...Object.fromEntries(optional),
        model: { ...schemas.of(model!), minLength: 1 },
      },
      required: ['model'],
      additionalProperties: unknownParameters === 'pass',
    },
    Response: response,
    ResponseItem: item,
    ResponseItemList: objectOf({
      object: { const: 'list' },
      data: { type: 'array', items: responsesReference('ResponseItem') },
      first_id: orNull(text),
      last_id: orNull(text),
      has_more: flag,
    }),
    ResponseDeletion: objectOf({ id: text, object: { const: 'response' }, deleted: { const: true } }),
    ResponseEvent: event,
    ResponseInputTokens: objectOf({ object: { const: 'response.input_tokens' }, input_tokens: count }),
  }
}

/** The function rules in JSON Schema, as far as it can express them. */
const describedRules: DescribedRules = new Map<unknown, JsonObject>([
  // JSON Schema has no case-insensitive flag.
  [urlIssue, { pattern: '^([hH][tT][tT][pP][sS]?://|[dD][aA][tT][aA]:)' }],
  [fileIssue, { pattern: '^[dD][aA][tT][aA]:.+;[bB][aA][sS][eE]64,' }],
  [assistantIssue, { properties: { type: { not: { const: 'input_text' } } } }],
  [pairsIssue, { maxProperties: maxPairs, propertyNames: { maxLength: maxKeyLength } }],
])

const text: JsonObject = { type: 'string' }
const flag: JsonObject = { type: 'boolean' }
const number: JsonObject = { type: 'number' }
const count: JsonObject = { type: 'integer', minimum: 0 }
const anyObject: JsonObject = { type: 'object', additionalProperties: true }

function objectOf(properties: Readonly<Record<string, JsonValue>>): JsonObject {
  return { type: 'object', properties, required: Object.keys(properties) }
}

function withOptional(object: JsonObject, properties: Readonly<Record<string, JsonValue>>): JsonObject {
  return { ...object, properties: { ...(object.properties as JsonObject), ...properties } }
}

/** An object with these members, and others that depend on its type. */
function openObjectOf(properties: Readonly<Record<string, JsonValue>>): JsonObject {
  return { ...objectOf(properties), additionalProperties: true }
}

const item: JsonObject = {
  ...openObjectOf({ id: text, type: text }),
  description:
    'A message, reasoning, or a call of a tool. A vendor of the protocol may send items of further types.',
}

const error: JsonObject = objectOf({ code: text, message: text })

const response: JsonObject = objectOf({
  id: text,
  object: { const: 'response' },
  created_at: count,
  completed_at: orNull(count),
  status: {
    type: 'string',
    enum: ['queued', 'in_progress', 'completed', 'incomplete', 'failed', 'cancelled'],
  },
  incomplete_details: orNull(objectOf({ reason: text })),
  error: orNull(error),
  model: text,
  output: { type: 'array', items: responsesReference('ResponseItem') },
  usage: orNull(
    withOptional(
      objectOf({
        input_tokens: count,
        input_tokens_details: openObjectOf({ cached_tokens: count }),
        output_tokens: count,
        output_tokens_details: objectOf({ reasoning_tokens: count }),
        total_tokens: count,
      }),
      { cost: { type: 'number', description: 'US dollars, for callers who may see it.' } },
    ),
  ),
  previous_response_id: orNull(text),
  instructions: true,
  tools: { type: 'array', items: openObjectOf({ type: text }) },
  tool_choice: { anyOf: [text, anyObject] },
  truncation: text,
  parallel_tool_calls: flag,
  text: openObjectOf({ format: openObjectOf({ type: text }) }),
  temperature: number,
  top_p: number,
  presence_penalty: number,
  frequency_penalty: number,
  top_logprobs: count,
  reasoning: orNull(anyObject),
  max_output_tokens: orNull(count),
  max_tool_calls: orNull(count),
  store: flag,
  background: flag,
  service_tier: text,
  metadata: anyObject,
  safety_identifier: orNull(text),
  prompt_cache_key: orNull(text),
  user: orNull(text),
})

const event: JsonObject = {
  ...openObjectOf({ type: text, sequence_number: count }),
  description:
    'Its `type` says which: `response.created`, `response.output_text.delta` and the like. The last one is `response.completed`, `response.incomplete` or `response.failed`.',
}
