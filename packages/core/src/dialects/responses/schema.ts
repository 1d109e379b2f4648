import type * as z from 'zod/mini'
import type { JsonValue } from '../../protocol/chat.ts'
import { type Fields, fieldsFrom } from '../../validation/check-fields.ts'
import {
  anyObject,
  either,
  list,
  object,
  ofKind,
  type SchemaIssue,
  where,
} from '../../validation/container-schemas.ts'
import {
  decimal,
  flag,
  integer,
  maybe,
  name,
  nullable,
  oneOf,
  only,
  text,
} from '../../validation/scalar-schemas.ts'
import { serviceTiers, settingSchemas } from '../../validation/settings-schema.ts'
import { urlIssue } from '../../validation/url-issue.ts'
import { itemType } from './item-types.ts'

/** The longest input that is one text, in characters. */
const maxInput = 10_485_760

const maxItems = 100_000

/** The most tools that a choice may name. */
const maxAllowed = 128

const listOfObjects = 'an array of objects'
const textOrObjects = 'one of a string or array of objects'

const typeOf = ({ type }: Record<string, unknown>): unknown => type

/** An object of a type that only its vendor knows. */
const ofOtherType = object({ type: text() })

const textPart = object({ type: text(), text: text() })

const parts = {
  input_text: textPart,
  output_text: textPart,
  refusal: object({ type: only('refusal'), refusal: text() }),
  input_image: object({
    type: only('input_image'),
    image_url: maybe(where(text(), urlIssue)),
    file_id: maybe(text()),
    detail: maybe(oneOf(['auto', 'low', 'high', 'original'])),
  }),
  input_file: object({
    type: only('input_file'),
    file_data: maybe(where(text(), fileIssue)),
    file_url: maybe(where(text(), urlIssue)),
    file_id: maybe(text()),
    filename: maybe(text()),
  }),
  input_audio: object({
    type: only('input_audio'),
    input_audio: object({ data: text(), format: oneOf(['wav', 'mp3']) }),
  }),
}

const content = either(textOrObjects, {
  string: text(),
  array: list(ofKind(typeOf, parts, ofOtherType), listOfObjects),
})

const assistantContent = either(textOrObjects, {
  string: text(),
  array: list(
    where(ofKind(typeOf, parts, ofOtherType) as z.ZodMiniType<{ type?: unknown }>, assistantIssue),
    listOfObjects,
  ),
})

const id = maybe(nullable(text()))
const result = object({ call_id: text(), output: content })

/** The items of an input but messages, whose content depends on their role. */
const items = {
  function_call: object({ id, call_id: text(), name: text(), namespace: id, arguments: text() }),
  function_call_output: result,
  custom_tool_call: object({ id, call_id: text(), name: text(), namespace: id, input: text() }),
  custom_tool_call_output: result,
  reasoning: object({ id, encrypted_content: maybe(nullable(text())) }),
  tool_search_output: object({ tools: list(anyObject(), listOfObjects) }),
  additional_tools: object({ tools: list(anyObject(), listOfObjects) }),
  local_shell_call: object({ action: anyObject() }),
  shell_call: object({ action: anyObject() }),
  apply_patch_call: object({ operation: anyObject() }),
}

const otherItem = object({ type: text(), id })

function inputSchema(live: boolean): z.ZodMiniType<string | object[]> {
  const message = (role: z.ZodMiniType, body: z.ZodMiniType): z.ZodMiniType =>
    object({ role, content: body, id })
  const kinds = {
    ...items,
    'message of the assistant': message(only('assistant'), live ? assistantContent : content),
    message: message(oneOf(['assistant', 'system', 'developer', 'user']), content),
  }
  const item = ofKind(kindOfItem, kinds, otherItem)
  return either(textOrObjects, {
    string: text(maxInput),
    array: list(item, textOrObjects, live ? 1 : 0, maxItems),
  })
}

function kindOfItem(item: Record<string, unknown>): string {
  const type = itemType(item as JsonValue)
  return type === 'message' && item.role === 'assistant' ? 'message of the assistant' : type
}

const functionTool = object({
  type: only('function'),
  name: name(),
  description: maybe(text()),
  parameters: maybe(anyObject()),
  strict: maybe(nullable(flag())),
})

const customTool = object({
  type: only('custom'),
  name: text(),
  description: maybe(text()),
  format: maybe(anyObject()),
})

const namespace = object({
  type: only('namespace'),
  name: text(),
  description: maybe(text()),
  tools: list(ofKind(typeOf, { function: functionTool, custom: customTool }, ofOtherType), listOfObjects),
})

const tool = ofKind(typeOf, { function: functionTool, custom: customTool, namespace }, ofOtherType)

const chosen = object({ type: text(), name: text(), namespace: maybe(text()) })

const allowedTools = object({
  type: only('allowed_tools'),
  mode: oneOf(['auto', 'required']),
  tools: list(ofOtherType, listOfObjects, 1, maxAllowed),
})

const toolChoice = either('one of a string or object', {
  string: oneOf(['none', 'auto', 'required']),
  object: ofKind(typeOf, { function: chosen, custom: chosen, allowed_tools: allowedTools }, ofOtherType),
})

const formats = {
  text: object({ type: only('text') }),
  json_object: object({ type: only('json_object') }),
  json_schema: object({
    type: only('json_schema'),
    name: name(),
    schema: anyObject(),
    description: maybe(text()),
    strict: maybe(nullable(flag())),
  }),
}

const format = ofKind(typeOf, formats, object({ type: oneOf(['text', 'json_object', 'json_schema']) }))

const summary = maybe(oneOf(['auto', 'concise', 'detailed']))

/** Created on first use: a service uses one profile, and creating the schemas takes milliseconds. */
const profiles: { schema?: Fields; live?: Fields } = {}

/** The fields of a request in the Responses API. */
export function responsesSchemas(live: boolean): Fields {
  const profile = live ? 'live' : 'schema'
  profiles[profile] ??= fieldsFrom(fieldSchemas(live))
  return profiles[profile]
}

/** Returns the fields of a request, in the order in which their errors are reported. */
export function fieldSchemas(live: boolean): Readonly<Record<string, z.ZodMiniType>> {
  const settings = settingSchemas(live)
  return {
    model: text(),
    input: inputSchema(live),
    instructions: text(),
    previous_response_id: text(),
    stream: flag(),
    stream_options: object({ include_obfuscation: maybe(flag()) }),
    store: flag(),
    background: flag(),
    max_output_tokens: integer(live ? 16 : 0, Number.MAX_SAFE_INTEGER),
    max_tool_calls: integer(1, Number.MAX_SAFE_INTEGER),
    temperature: settings.temperature,
    top_p: settings.top_p,
    presence_penalty: decimal(-2, 2),
    frequency_penalty: decimal(-2, 2),
    top_logprobs: integer(0, 20),
    tools: list(tool, listOfObjects),
    tool_choice: toolChoice,
    parallel_tool_calls: flag(),
    reasoning: object({ effort: maybe(settings.reasoning_effort), summary, generate_summary: summary }),
    text: object({ format: maybe(format), verbosity: maybe(settings.verbosity) }),
    truncation: oneOf(['auto', 'disabled']),
    include: list(text(), 'an array of strings'),
    metadata: settings.metadata,
    service_tier: oneOf([...serviceTiers, 'ultrafast']),
    user: settings.user,
    safety_identifier: settings.safety_identifier,
    prompt_cache_key: settings.prompt_cache_key,
    prompt_cache_retention: settings.prompt_cache_retention,
    prompt_cache_options: anyObject(),
    prompt: anyObject(),
  }
}

/** An answer holds no input. */
export function assistantIssue({ type }: { type?: unknown }): SchemaIssue | undefined {
  if (type !== 'input_text') return undefined
  return {
    reason: 'invalid_value',
    message: () => "Invalid value: 'input_text'. Supported values are: 'output_text' and 'refusal'.",
  }
}

/** Requires a data URL with base64. */
export function fileIssue(data: string): SchemaIssue | undefined {
  if (/^data:[^,;]{1,256}(?:;[^,;]{1,256}){0,8};base64,/i.test(data)) return undefined
  return {
    reason: 'invalid_value',
    message: path =>
      `Invalid file data: '${path}'. Expected a base64-encoded data URL with a valid file MIME type (e.g. 'data:text/plain;base64,SGVsbG8sIFdvcmxkIQ==').`,
  }
}
