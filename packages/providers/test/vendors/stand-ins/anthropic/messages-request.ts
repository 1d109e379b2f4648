import { Fault } from '../fault.ts'
import {
  anyObject,
  base64,
  type Check,
  decimal,
  either,
  type Fields,
  flag,
  integer,
  isFields,
  list,
  nullable,
  object,
  oneOf,
  tagged,
  text,
} from '../shape.ts'

const id = text(1, 256, /^[a-zA-Z0-9_-]+$/)
const cache = { cache_control: nullable(object({ type: oneOf('ephemeral') }, { ttl: oneOf('5m', '1h') })) }

const written: Check = (value, path) => {
  text()(value, path)
  if (value === '') throw new Fault(`${path}: text content blocks must be non-empty`)
  if (String(value).trim() === '') {
    throw new Fault(`${path}: text content blocks must contain non-whitespace text`)
  }
}

const textBlock = object(
  { type: oneOf('text'), text: written },
  { ...cache, citations: nullable(list(anyObject)) },
)

const imageBlock = object(
  {
    type: oneOf('image'),
    source: tagged('type', {
      base64: object({
        type: oneOf('base64'),
        media_type: oneOf('image/jpeg', 'image/png', 'image/gif', 'image/webp'),
        data: base64,
      }),
      url: object({ type: oneOf('url'), url: text(1, Infinity, /^https:\/\//) }),
    }),
  },
  cache,
)

const documentBlock = object(
  {
    type: oneOf('document'),
    source: tagged('type', {
      base64: object({ type: oneOf('base64'), media_type: oneOf('application/pdf'), data: base64 }),
      text: object({ type: oneOf('text'), media_type: oneOf('text/plain'), data: text(1) }),
      url: object({ type: oneOf('url'), url: text(1, Infinity, /^https:\/\//) }),
    }),
  },
  {
    ...cache,
    title: nullable(text(1, 500)),
    context: nullable(text(1)),
    citations: object({ enabled: flag }),
  },
)

const blocks: Record<string, Check> = {
  text: textBlock,
  image: imageBlock,
  document: documentBlock,
  tool_use: object({ type: oneOf('tool_use'), id, name: text(1, 200), input: anyObject }, cache),
  tool_result: object(
    { type: oneOf('tool_result'), tool_use_id: id },
    {
      ...cache,
      content: either(
        text(),
        list(tagged('type', { text: textBlock, image: imageBlock, document: documentBlock })),
      ),
      is_error: flag,
    },
  ),
  // Thinking that was omitted is empty, and bears its signature all the same.
  thinking: object({ type: oneOf('thinking'), thinking: text(), signature: text(1) }),
  redacted_thinking: object({ type: oneOf('redacted_thinking'), data: text(1) }),
}

/** JSON Schema 2020-12, as far as faults in it are common. */
const inputSchema: Check = (value, path) => {
  anyObject(value, path)
  const schema = value as Fields
  oneOf('object')(schema.type, `${path}.type`)
  for (const key of ['oneOf', 'allOf', 'anyOf']) {
    if (key in schema) {
      throw new Fault(`${path}: input_schema does not support oneOf, allOf, or anyOf at the top level`)
    }
  }
  if (schema.properties !== undefined) {
    anyObject(schema.properties, `${path}.properties`)
    for (const key of Object.keys(schema.properties as Fields)) {
      text(1, 64, /^[a-zA-Z0-9_.-]{1,64}$/)(key, `${path}.properties`)
    }
  }
  if (schema.required !== undefined) list(text())(schema.required, `${path}.required`)
}

const tool = object(
  { name: text(1, 128, /^[a-zA-Z0-9_-]{1,128}$/), input_schema: inputSchema },
  { ...cache, type: oneOf('custom'), description: text(), strict: flag },
)

const choice = { disable_parallel_tool_use: flag }

/** The schema of an answer: every object in it has to be closed, and no bound may stand in it. */
const outputSchema: Check = (value, path) => {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) outputSchema(item, `${path}.${index}`)
    return
  }
  if (!isFields(value)) return
  if (value.type === 'object' && value.additionalProperties !== false) {
    throw new Fault(`${path}: For 'object' type, 'additionalProperties' must be explicitly set to false`)
  }
  const bounds = ['minimum', 'maximum', 'multipleOf', 'minLength', 'maxLength', 'maxItems', 'uniqueItems']
  for (const key of bounds) {
    const bounded = key in value && !isFields(value[key])
    if (bounded) throw new Fault(`${path}: For '${value.type}' type, property '${key}' is not supported`)
  }
  for (const [key, inner] of Object.entries(value)) outputSchema(inner, `${path}.${key}`)
}

const fields: Record<string, Check> = {
  metadata: object({}, { user_id: nullable(text(0, 256)) }),
  stop_sequences: list((value, path) => {
    text()(value, path)
    if (String(value).trim() === '') {
      throw new Fault(`${path}: each stop sequence must contain non-whitespace`)
    }
  }),
  stream: flag,
  system: either(text(), list(textBlock)),
  temperature: decimal(0, 1),
  top_p: decimal(0, 1),
  top_k: integer(0),
  thinking: tagged('type', {
    enabled: object(
      { type: oneOf('enabled'), budget_tokens: integer(1024) },
      { display: oneOf('summarized', 'omitted') },
    ),
    adaptive: object({ type: oneOf('adaptive') }, { display: oneOf('summarized', 'omitted') }),
    disabled: object({ type: oneOf('disabled') }),
  }),
  tool_choice: tagged('type', {
    auto: object({ type: oneOf('auto') }, choice),
    any: object({ type: oneOf('any') }, choice),
    tool: object({ type: oneOf('tool'), name: text(1) }, choice),
    none: object({ type: oneOf('none') }),
  }),
  tools: list(tool),
  service_tier: oneOf('auto', 'standard_only'),
  output_config: object(
    {},
    {
      effort: oneOf('low', 'medium', 'high', 'xhigh', 'max'),
      format: object({ type: oneOf('json_schema'), schema: outputSchema }),
    },
  ),
}

const required: Record<string, Check> = {
  max_tokens: integer(1),
  messages: list(
    object({ role: oneOf('user', 'assistant'), content: either(text(), list(tagged('type', blocks))) }),
  ),
}

/** The body of the Messages API. */
export const messagesRequest: Check = object({ model: text(1), ...required }, fields)

/** The same where the URL names the model, as on Vertex. */
export const messagesRequestOnVertex: Check = object(
  { anthropic_version: oneOf('vertex-2023-10-16'), ...required },
  { ...fields, anthropic_beta: list(text(1)) },
)

export interface Block {
  readonly type: string
  readonly text?: string
  readonly id?: string
  readonly name?: string
  readonly input?: object
  readonly tool_use_id?: string
  readonly content?: string | readonly Block[]
  readonly thinking?: string
  readonly signature?: string
  readonly source?: { readonly type: string; readonly media_type?: string; readonly data?: string }
}

/** What the checks above let through. */
export interface MessagesRequest {
  readonly messages: readonly {
    readonly role: 'user' | 'assistant'
    readonly content: string | readonly Block[]
  }[]
  readonly max_tokens: number
  readonly system?: string | readonly Block[]
  readonly stream?: boolean
  readonly stop_sequences?: readonly string[]
  readonly temperature?: number
  readonly top_p?: number
  readonly top_k?: number
  readonly thinking?: { readonly type: 'enabled' | 'adaptive' | 'disabled'; readonly budget_tokens?: number }
  readonly tools?: readonly { readonly name: string; readonly input_schema: object }[]
  readonly tool_choice?: { readonly type: string; readonly name?: string }
  readonly output_config?: { readonly effort?: string; readonly format?: { readonly schema: object } }
}
