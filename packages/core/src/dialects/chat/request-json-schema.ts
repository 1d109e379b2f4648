import type { JsonObject } from '../../protocol/chat.ts'
import { componentsPath, JsonSchemas, orNull } from '../../validation/json-schema-of.ts'
import { formOf } from '../../validation/judge.ts'
import { describedRules } from './described-rules.ts'
import { toolCall, userPart } from './message-schema.ts'
import { responseFormatSchema } from './option-schemas.ts'
import { fieldSchemas } from './schema.ts'
import { functionSchema, toolChoiceSchema, toolSchema } from './tool-schema.ts'

/** How a gateway looks at requests: two of its options. */
export interface RequestProfile {
  readonly validation: 'schema' | 'live'
  readonly unknownParameters: 'pass' | 'reject'
}

/**
 * The named schemas of a request for a chat completion, `ChatCompletionRequest` first, made of those by which requests
 * are checked. Rules that span fields are not in them.
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

/** Refers to the request's schema. */
export const requestReference: JsonObject = { $ref: componentsPath + requestName }

function itemOf(list: Parameters<typeof formOf>[0]) {
  const form = formOf(list)
  if (form === undefined || !('list' in form)) throw new Error('The messages are no list.')
  return form.list
}
