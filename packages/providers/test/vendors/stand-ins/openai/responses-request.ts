import { Fault } from '../fault.ts'
import {
  anyObject,
  type Check,
  decimal,
  either,
  flag,
  integer,
  list,
  nullable,
  object,
  oneOf,
  tagged,
  text,
} from '../shape.ts'
import { openEncrypted } from './encrypted.ts'

const name = text(1, 64, /^[a-zA-Z0-9_-]+$/)

const inputText = object({ type: oneOf('input_text'), text: text() })
const inputImage = object(
  { type: oneOf('input_image'), image_url: text(1) },
  { detail: oneOf('auto', 'low', 'high', 'original') },
)
const inputFile = object(
  { type: oneOf('input_file') },
  { file_data: text(1), file_url: text(1), file_id: text(1), filename: text() },
)
const inputPart = tagged('type', {
  input_text: inputText,
  input_image: inputImage,
  input_file: inputFile,
})
const outputPart = tagged('type', {
  output_text: object({ type: oneOf('output_text'), text: text() }),
  refusal: object({ type: oneOf('refusal'), refusal: text() }),
})

const said = (role: string, part: Check): Check =>
  object({ type: oneOf('message'), role: oneOf(role), content: list(part, 1) })
const message = tagged('role', {
  system: said('system', inputPart),
  developer: said('developer', inputPart),
  user: said('user', inputPart),
  assistant: said('assistant', outputPart),
})
const output = either(text(), list(inputPart, 1))
const item = tagged('type', {
  message,
  function_call: object({ type: oneOf('function_call'), call_id: text(1, 64), name, arguments: text() }),
  function_call_output: object({ type: oneOf('function_call_output'), call_id: text(1, 64), output }),
  custom_tool_call: object({ type: oneOf('custom_tool_call'), call_id: text(1, 64), name, input: text() }),
  custom_tool_call_output: object({ type: oneOf('custom_tool_call_output'), call_id: text(1, 64), output }),
  reasoning: object(
    { type: oneOf('reasoning'), summary: list(anyObject), encrypted_content: text(1) },
    { id: text(1, 64, /^rs_/) },
  ),
})

const tool = tagged('type', {
  function: object(
    { type: oneOf('function'), name, parameters: nullable(anyObject), strict: nullable(flag) },
    { description: text() },
  ),
  custom: object({ type: oneOf('custom'), name }, { description: text(), format: anyObject }),
  web_search: object(
    { type: oneOf('web_search') },
    { search_context_size: oneOf('low', 'medium', 'high'), user_location: anyObject },
  ),
})

const format = tagged('type', {
  text: object({ type: oneOf('text') }),
  json_object: object({ type: oneOf('json_object') }),
  json_schema: object(
    { type: oneOf('json_schema'), name, schema: anyObject },
    { description: text(), strict: nullable(flag) },
  ),
})

const named = (kind: string): Check => object({ type: oneOf(kind), name })

const request = object(
  { model: text(1), input: list(item, 1), store: oneOf(false) },
  {
    include: list(oneOf('reasoning.encrypted_content', 'message.output_text.logprobs')),
    max_output_tokens: integer(16),
    metadata: anyObject,
    parallel_tool_calls: flag,
    prompt_cache_key: text(0, 64),
    prompt_cache_options: anyObject,
    prompt_cache_retention: text(),
    reasoning: object(
      {},
      {
        effort: oneOf('none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'),
        summary: oneOf('auto', 'concise', 'detailed'),
      },
    ),
    safety_identifier: text(0, 64),
    service_tier: oneOf('auto', 'default', 'flex', 'scale', 'priority', 'fast'),
    stream: flag,
    stream_options: object({}, { include_obfuscation: flag }),
    temperature: decimal(0, 2),
    text: object({}, { format, verbosity: oneOf('low', 'medium', 'high') }),
    tool_choice: either(
      oneOf('none', 'auto', 'required'),
      tagged('type', {
        function: named('function'),
        custom: named('custom'),
        allowed_tools: object({
          type: oneOf('allowed_tools'),
          mode: oneOf('auto', 'required'),
          tools: list(tagged('type', { function: named('function'), custom: named('custom') }), 1),
        }),
      }),
    ),
    tools: list(tool, 1, 128),
    top_logprobs: integer(0, 20),
    top_p: decimal(0, 1),
    user: text(),
  },
)

export interface ResponsesItem {
  readonly type: string
  readonly role?: string
  readonly id?: string
  readonly call_id?: string
  readonly name?: string
  readonly arguments?: string
  readonly input?: string
  readonly output?: string | readonly ResponsesPart[]
  readonly content?: readonly ResponsesPart[]
  readonly encrypted_content?: string
}

export interface ResponsesPart {
  readonly type: string
  readonly text?: string
  readonly refusal?: string
  readonly image_url?: string
  readonly file_data?: string
  readonly file_url?: string
  readonly file_id?: string
}

/** What the checks below let through. */
export interface ResponsesBody {
  readonly model: string
  readonly input: readonly ResponsesItem[]
  readonly include?: readonly string[]
  readonly stream?: boolean
  readonly max_output_tokens?: number
  readonly reasoning?: { readonly effort?: string; readonly summary?: string }
  readonly text?: { readonly format?: { readonly type: string; readonly schema?: object } }
  readonly tools?: readonly {
    readonly type: string
    readonly name: string
    readonly description?: string
    readonly parameters?: object | null
  }[]
  readonly tool_choice?: string | { readonly type: string; readonly name?: string }
}

/** Throws `Fault` for a body that the Responses API would refuse. */
export function checkResponsesRequest(body: unknown): void {
  request(body, '')
  const { input, tools, tool_choice: choice } = body as ResponsesBody
  if (typeof choice === 'object' && tools === undefined) throw new Fault('Tool choice without tools.')
  checkPairs(input)
  checkReasoning(input)
}

function checkPairs(input: readonly ResponsesItem[]): void {
  const open = new Set<string>()
  for (const { type, role, call_id: id = '' } of input) {
    if (type.endsWith('_call')) open.add(id)
    else if (type.endsWith('_output')) {
      if (!open.delete(id)) throw new Fault(`No tool call found for function call output with call_id ${id}.`)
    } else if (type === 'message' && role === 'user') {
      for (const each of open) throw new Fault(`No tool output found for function call ${each}.`)
    }
  }
  for (const each of open) throw new Fault(`No tool output found for function call ${each}.`)
}

function checkReasoning(input: readonly ResponsesItem[]): void {
  for (const [index, { type, id, encrypted_content: content = '' }] of input.entries()) {
    if (type !== 'reasoning') continue
    const next = input.slice(index + 1).find(each => each.type !== 'reasoning')
    const isFollowed = next?.type.endsWith('_call') === true || next?.role === 'assistant'
    if (!isFollowed) {
      throw new Fault(`Item '${id}' of type 'reasoning' was provided without its required following item.`)
    }
    const opened = openEncrypted(content)
    if (opened === undefined || (id !== undefined && id !== opened.id)) {
      throw new Fault(
        `The encrypted content for item ${id} could not be verified.`,
        400,
        'invalid_encrypted_content',
      )
    }
  }
}
