import type { JsonObject, JsonValue } from '../../protocol/chat.ts'
import { componentsPath, orNull } from '../../validation/json-schema-of.ts'
import { messagesFields } from './settings.ts'

/*
 * JSON Schemas for the OpenAPI document: they validate nothing. Those of requests are of requests that are translated; a vendor of
 * the protocol may accept more.
 */

const names = [
  'MessagesRequest',
  'MessagesCountRequest',
  'MessagesResponse',
  'MessagesEvent',
  'MessagesTokenCount',
  'MessagesError',
  'MessagesModel',
  'MessagesModelList',
] as const

/** Returns a reference to a schema of the Messages API. */
export function messagesReference(name: (typeof names)[number]): JsonObject {
  return { $ref: componentsPath + name }
}

/** Returns the named JSON Schemas of the Messages API. */
export function messagesSchemas(unknownParameters: 'pass' | 'reject'): Record<string, JsonObject> {
  const isOpen = unknownParameters === 'pass'
  const { max_tokens, ...counted } = requestFields()
  return {
    MessagesRequest: {
      ...objectOf({ ...counted, max_tokens: max_tokens! }, ['model', 'max_tokens', 'messages']),
      additionalProperties: isOpen,
    },
    MessagesCountRequest: {
      ...objectOf({ ...counted, max_tokens: true }, ['model', 'messages']),
      additionalProperties: isOpen,
    },
    MessagesResponse: message,
    MessagesEvent: { oneOf: events },
    MessagesTokenCount: objectOf({ input_tokens: count }, ['input_tokens']),
    MessagesError: errorBody,
    MessagesModel: model,
    MessagesModelList: modelList,
  }
}

const text: JsonObject = { type: 'string' }
const count: JsonObject = { type: 'integer', minimum: 0 }
const share: JsonObject = { type: 'number', minimum: 0, maximum: 1 }

function objectOf(
  properties: Readonly<Record<string, JsonValue>>,
  required: readonly string[] = Object.keys(properties),
): JsonObject {
  return { type: 'object', properties, required }
}

/** An object with a type, and any other members. */
function typed(types?: readonly string[]): JsonObject {
  return objectOf({ type: types === undefined ? text : { ...text, enum: types } })
}

const blocks: JsonObject = { anyOf: [text, { type: 'array', items: typed() }] }

const tool: JsonObject = {
  description: 'A tool without a type, or with the type `custom`, needs a name and an `input_schema`.',
  type: 'object',
  properties: {
    type: orNull(text),
    name: text,
    description: orNull(text),
    input_schema: { type: 'object' },
  },
}

const format: JsonObject = objectOf({
  type: { type: 'string', const: 'json_schema' },
  schema: { type: 'object' },
})

function requestFields(): Record<string, JsonValue> {
  const fields: Record<string, JsonObject> = {
    system: blocks,
    stop_sequences: { type: 'array', items: text },
    stream: { type: 'boolean' },
    temperature: share,
    top_p: share,
    top_k: count,
    tools: { type: 'array', items: tool },
    tool_choice: typed(['auto', 'any', 'tool', 'none']),
    thinking: objectOf({ type: text, budget_tokens: orNull({ type: 'integer', minimum: 1_024 }) }, ['type']),
    output_config: objectOf(
      {
        effort: orNull({ type: 'string', enum: ['low', 'medium', 'high', 'xhigh', 'max'] }),
        format: orNull(format),
      },
      [],
    ),
    output_format: format,
    metadata: objectOf({ user_id: orNull(text) }, []),
    service_tier: { type: 'string', enum: ['auto', 'standard_only'] },
  }
  const optional = Object.entries(fields).map(([name, schema]) => [name, orNull(schema)])
  const others = Array.from(messagesFields, name => [name, true])
  return {
    ...Object.fromEntries(others),
    ...Object.fromEntries(optional),
    model: { type: 'string', minLength: 1 },
    max_tokens: { type: 'integer', minimum: 1 },
    messages: {
      type: 'array',
      minItems: 1,
      maxItems: 100_000,
      items: objectOf({ role: { type: 'string', enum: ['user', 'assistant', 'system'] }, content: blocks }),
    },
  }
}

const contentBlock: JsonObject = {
  oneOf: [
    objectOf({ type: { const: 'text' }, text }),
    objectOf({ type: { const: 'tool_use' }, id: text, name: text, input: { type: 'object' } }),
    objectOf({ type: { const: 'thinking' }, thinking: text, signature: text }),
    objectOf({ type: { const: 'redacted_thinking' }, data: text }),
  ],
}

const counts: Readonly<Record<string, JsonObject>> = {
  input_tokens: count,
  cache_creation_input_tokens: count,
  cache_read_input_tokens: count,
  output_tokens: count,
  server_tool_use: orNull({ type: 'object' }),
  output_tokens_details: objectOf({ thinking_tokens: count }),
  cost: { type: 'number', description: 'US dollars, for callers who may see it.' },
}
const alwaysCounted = [
  'input_tokens',
  'cache_creation_input_tokens',
  'cache_read_input_tokens',
  'output_tokens',
]

const stop: Readonly<Record<string, JsonObject>> = {
  stop_reason: orNull({
    type: 'string',
    enum: ['end_turn', 'max_tokens', 'stop_sequence', 'tool_use', 'refusal'],
  }),
  stop_sequence: orNull(text),
  stop_details: orNull({
    type: 'object',
    properties: { type: text, category: orNull(text), explanation: orNull(text) },
  }),
}

const message = objectOf({
  id: text,
  type: { const: 'message' },
  role: { const: 'assistant' },
  model: text,
  content: { type: 'array', items: contentBlock },
  ...stop,
  container: orNull({ type: 'object' }),
  usage: objectOf(
    { ...counts, cache_creation: orNull({ type: 'object' }), service_tier: orNull(text) },
    alwaysCounted,
  ),
})

const errorBody = objectOf({
  type: { const: 'error' },
  error: objectOf({ type: text, message: text }),
  request_id: orNull(text),
})

const delta: JsonObject = {
  oneOf: [
    objectOf({ type: { const: 'text_delta' }, text }),
    objectOf({ type: { const: 'thinking_delta' }, thinking: text }),
    objectOf({ type: { const: 'signature_delta' }, signature: text }),
    objectOf({ type: { const: 'input_json_delta' }, partial_json: text }),
  ],
}

const events: readonly JsonObject[] = [
  objectOf({ type: { const: 'message_start' }, message: messagesReference('MessagesResponse') }),
  objectOf({ type: { const: 'content_block_start' }, index: count, content_block: contentBlock }),
  objectOf({ type: { const: 'content_block_delta' }, index: count, delta }),
  objectOf({ type: { const: 'content_block_stop' }, index: count }),
  objectOf({
    type: { const: 'message_delta' },
    delta: objectOf(stop),
    usage: objectOf(counts, ['output_tokens']),
  }),
  objectOf({ type: { const: 'message_stop' } }),
  objectOf({ type: { const: 'ping' } }),
  messagesReference('MessagesError'),
]

const model = objectOf(
  {
    type: { const: 'model' },
    id: text,
    display_name: text,
    created_at: { type: 'string', format: 'date-time' },
    max_input_tokens: count,
    max_tokens: count,
  },
  ['type', 'id', 'display_name', 'created_at'],
)

const modelList = objectOf({
  data: { type: 'array', items: messagesReference('MessagesModel') },
  has_more: { type: 'boolean' },
  first_id: orNull(text),
  last_id: orNull(text),
})
