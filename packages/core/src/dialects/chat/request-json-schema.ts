import type { JsonObject } from '../../protocol/chat.ts'
import { shapeOf } from '../../validation/fast-schema.ts'
import { componentsPath, type DescribedRules, JsonSchemas, orNull } from '../../validation/json-schema-of.ts'
import { maxKeyLength, maxPairs, pairsIssue, tokenId, tokenIssue } from '../../validation/settings-schema.ts'
import { urlIssue } from '../../validation/url-issue.ts'
import { missingContentIssue, toolCall, userPart } from './message-schema.ts'
import {
  fieldSchemas,
  functionSchema,
  responseFormatSchema,
  toolChoiceSchema,
  toolSchema,
  unknownOptionIssue,
} from './schema.ts'

/** The options of a gateway that affect the schema of its requests: see `GatewayOptions`. */
export interface RequestProfile {
  readonly validation: 'schema' | 'live'
  readonly unknownParameters: 'pass' | 'reject'
}

/**
 * Returns the named JSON Schemas of a chat completion request, `ChatCompletionRequest` first. They are derived from the
 * schemas that validate requests, without the rules that span fields.
 */
export function requestSchemas({
  validation,
  unknownParameters,
}: RequestProfile): Record<string, JsonObject> {
  const { model, messages, ...fields } = fieldSchemas(validation === 'live')
  const schemas = new JsonSchemas(
    new Map([
      [itemOf(messages), 'Message'],
      [userPart, 'UserPart'],
      [toolCall, 'ToolCall'],
      [toolSchema, 'Tool'],
      [functionSchema, 'FunctionDefinition'],
      [toolChoiceSchema, 'ToolChoice'],
      [responseFormatSchema, 'ResponseFormat'],
    ]),
    describedRules,
  )
  const optional = Object.entries(fields).map(([name, schema]) => [name, orNull(schemas.of(schema))])
  const request = {
    type: 'object',
    properties: {
      model: { ...schemas.of(model), minLength: 1 },
      messages: schemas.of(messages),
      ...Object.fromEntries(optional),
    },
    required: ['model', 'messages'],
    additionalProperties: unknownParameters === 'pass',
  }
  return { [requestName]: request, ...schemas.named }
}

const requestName = 'ChatCompletionRequest'

/** A reference to the schema of the request. */
export const requestReference: JsonObject = { $ref: componentsPath + requestName }

function itemOf(list: Parameters<typeof shapeOf>[0]) {
  const form = shapeOf(list)
  if (form === undefined || !('list' in form)) throw new Error('The schema of messages is not a list.')
  return form.list
}

/** The function rules in JSON Schema, as far as it can express them. */
const describedRules: DescribedRules = new Map<unknown, JsonObject>([
  // JSON Schema has no case-insensitive flag.
  [urlIssue, { pattern: '^([hH][tT][tT][pP][sS]?://|[dD][aA][tT][aA]:)' }],
  [
    missingContentIssue,
    {
      anyOf: ['content', 'tool_calls', 'function_call', 'refusal', 'audio'].map(name => requiresMember(name)),
    },
  ],
  [pairsIssue, { maxProperties: maxPairs, propertyNames: { maxLength: maxKeyLength } }],
  [tokenIssue, { propertyNames: { pattern: tokenId.source } }],
  [unknownOptionIssue, { additionalProperties: false }],
])

/** Requires the member. Only `content` may be `null`, and `tool_calls` are at least one. */
function requiresMember(name: string): JsonObject {
  const there = { required: [name] }
  if (name === 'content') return there
  const rule = name === 'tool_calls' ? { type: 'array', minItems: 1 } : { not: { type: 'null' } }
  return { ...there, properties: { [name]: rule } }
}
