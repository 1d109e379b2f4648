import { Fault } from '../fault.ts'
import {
  anyObject,
  type Check,
  decimal,
  either,
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

const name = text(1, 64, /^[a-zA-Z0-9_-]+$/)

const named = (kind: string): Check => object({ type: oneOf(kind), [kind]: object({ name }) })

const tool = object({
  type: oneOf('function'),
  function: object({ name }, { description: text(), parameters: anyObject, strict: nullable(flag) }),
})

const responseFormat = tagged('type', {
  text: object({ type: oneOf('text') }),
  json_object: object({ type: oneOf('json_object') }),
  json_schema: object({
    type: oneOf('json_schema'),
    json_schema: object({ name }, { description: text(), schema: anyObject, strict: nullable(flag) }),
  }),
})

const optional: Record<string, Check> = {
  frequency_penalty: decimal(-2, 2),
  logit_bias: anyObject,
  logprobs: flag,
  max_completion_tokens: integer(1),
  max_tokens: integer(1),
  metadata: anyObject,
  modalities: list(oneOf('text', 'audio')),
  n: integer(1, 128),
  parallel_tool_calls: flag,
  prediction: anyObject,
  presence_penalty: decimal(-2, 2),
  prompt_cache_key: text(),
  reasoning_effort: oneOf('none', 'minimal', 'low', 'medium', 'high', 'xhigh'),
  response_format: responseFormat,
  safety_identifier: text(),
  seed: integer(Number.MIN_SAFE_INTEGER),
  service_tier: oneOf('auto', 'default', 'flex', 'priority'),
  stop: either(text(), list(text(), 1, 4)),
  store: flag,
  stream: flag,
  stream_options: object({}, { include_usage: flag, include_obfuscation: flag }),
  temperature: decimal(0, 2),
  tool_choice: either(
    oneOf('none', 'auto', 'required'),
    tagged('type', { function: named('function'), allowed_tools: anyObject }),
  ),
  tools: list(tool, 1, 128),
  top_logprobs: integer(0, 20),
  top_p: decimal(0, 1),
  user: text(),
  verbosity: oneOf('low', 'medium', 'high'),
}

const message = tagged(
  'role',
  Object.fromEntries(['system', 'developer', 'user', 'assistant', 'tool'].map(role => [role, anyObject])),
)

const chatRequest = object({ messages: list(message, 1), model: text(1) }, optional)

interface Message {
  readonly role: string
  readonly content?: unknown
  readonly tool_calls?: readonly { readonly id: string; readonly type: string; readonly function: unknown }[]
  readonly tool_call_id?: string
}

/** What the checks below let through. */
export interface ChatBody {
  readonly model: string
  readonly messages: readonly Message[]
  readonly stream?: boolean
  readonly stream_options?: { readonly include_usage?: boolean }
  readonly max_tokens?: number
  readonly max_completion_tokens?: number
  readonly stop?: string | readonly string[]
  readonly tools?: readonly { readonly function: { readonly name: string; readonly parameters?: object } }[]
  readonly tool_choice?: string | { readonly function?: { readonly name: string } }
  readonly response_format?: { readonly type: string; readonly json_schema?: { readonly schema?: object } }
  readonly reasoning_effort?: string
  readonly temperature?: number
}

/** Throws `Fault` for a body that chat completions would refuse. */
export function checkChatRequest(body: unknown): void {
  chatRequest(body, '')
  const chat = body as ChatBody
  if (isReasoning(chat.model)) {
    if (chat.max_tokens !== undefined) {
      throw new Fault(
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      )
    }
    if ((chat.temperature ?? 1) !== 1) {
      throw new Fault("Unsupported value: 'temperature' does not support this value with this model.")
    }
  } else if (chat.reasoning_effort !== undefined) {
    throw new Fault('Unrecognized request argument supplied: reasoning_effort')
  }
  if (chat.tool_choice !== undefined && chat.tools === undefined) {
    throw new Fault("'tool_choice' is only allowed when 'tools' are specified.")
  }
  if (chat.stream_options !== undefined && chat.stream !== true) {
    throw new Fault("The 'stream_options' parameter is only allowed when 'stream' is enabled.")
  }
  checkPairs(chat.messages)
}

export function isReasoning(model: string): boolean {
  return /^(?:o\d|gpt-5)/.test(model)
}

function checkPairs(messages: readonly Message[]): void {
  let open: string[] = []
  for (const [index, { role, tool_call_id: id, tool_calls: calls, content }] of messages.entries()) {
    if (role === 'tool') {
      if (!open.includes(id ?? '')) {
        throw new Fault(
          "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
        )
      }
      open = open.filter(other => other !== id)
      continue
    }
    if (open.length > 0) {
      throw new Fault(
        `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id': ${open.join()}`,
      )
    }
    for (const call of calls ?? []) {
      const rightly = isFields(call.function) && typeof call.function.arguments === 'string'
      if (call.type !== 'function' || !rightly)
        throw new Fault(`Invalid type for 'messages[${index}].tool_calls'`)
    }
    if (content == null && calls === undefined) {
      throw new Fault(`Invalid value for 'content' of messages[${index}]: expected a string, got null.`)
    }
    open = (calls ?? []).map(call => call.id)
  }
  if (open.length > 0) throw new Fault(`'tool_call_id's without response messages: ${open.join()}`)
}
