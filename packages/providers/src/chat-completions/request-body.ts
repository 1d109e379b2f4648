import { GatewayError } from '@sluice/core'
import type { Call, Message } from '@sluice/core/provider'
import type { ParameterAdjuster } from '../parameters/adjusting.ts'
import { asksForNothing } from '../parameters/parameter-rules.ts'
import type { Fields } from '../wire/json-value.ts'
import type { Dialect } from './dialect.ts'
import { withoutForeignMarks, withoutForeignMembers } from './foreign-members.ts'
import { withNineCharacterIds } from './nine-character-ids.ts'

/**
 * The caller's request in a vendor's words, to be written as JSON: a member that is `undefined` is left out. What is left
 * out is told to `adjusting`; what only has another name there is not. Throws `GatewayError` (400) for what the vendor
 * lacks and what changes the answer.
 */
export function requestBody(
  call: Call,
  dialect: Dialect,
  adjusting: ParameterAdjuster,
): Record<string, unknown> {
  const { input } = call
  const { refuse = none, drop = none, requiredToolChoice, rename } = dialect
  const body = copyOf(input)
  body.model = call.model
  dropSteering(body, adjusting)
  for (const name of refuse) {
    if (!asksForNothing(name, body[name])) adjusting.unsupported(name)
    leaveOut(body, name)
  }
  for (const name of drop) {
    if (!asksForNothing(name, body[name])) adjusting.drop(name)
    leaveOut(body, name)
  }
  moveMaxTokens(body, call, dialect)
  if (input.stream !== true || dialect.streamOptions === false) leaveOut(body, 'stream_options')
  else body.stream_options = { ...input.stream_options, include_usage: true }
  body.messages = messagesIn(input.messages, dialect, adjusting)
  if (input.tools !== undefined && body.tools !== undefined)
    body.tools = withoutForeignMarks(input.tools, dialect, adjusting)
  if (requiredToolChoice !== undefined && body.tool_choice === 'required')
    body.tool_choice = requiredToolChoice
  if (rename !== undefined) for (const name of Object.keys(rename)) giveName(body, name, rename[name]!)
  return body
}

const none: readonly string[] = []

/** What inherits nothing: a member of any name is its own. Unlike objects without a prototype, engines are quick with it. */
const Bare = /* @__PURE__ */ (() => {
  const made = function Bare() {} as unknown as new () => Record<string, unknown>
  made.prototype = Object.create(null)
  return made
})()

/** Member by member: to spread a request that inherits nothing takes twice as long. */
function copyOf(input: object): Record<string, unknown> {
  const copy = new Bare()
  for (const name of Object.keys(input)) copy[name] = (input as Fields)[name]
  return copy
}

function messagesIn(
  given: readonly Message[],
  dialect: Dialect,
  adjusting: ParameterAdjuster,
): readonly Message[] {
  let messages = withoutForeignMembers(given, dialect, adjusting)
  const { reasoningField } = dialect
  if (reasoningField !== undefined)
    messages = messages.map(message => withReasoningAs(message, reasoningField))
  if (dialect.messageNames === false) messages = withoutNames(messages, adjusting)
  if (dialect.developerRole === 'system') messages = messages.map(asSystem)
  if (dialect.toolCallIds !== undefined) messages = withNineCharacterIds(messages)
  return messages
}

/** Who speaks is part of what is said, so such a name is no hint; a tool's is known by the call that it answers. */
function withoutNames(messages: readonly Message[], adjusting: ParameterAdjuster): readonly Message[] {
  return messages.map((message, index) => {
    const { role } = message
    if (role === 'function' || !('name' in message)) return message
    const { name, ...rest } = message
    if (name === undefined || name === null) return rest
    const path = `messages[${index}].name`
    if (role === 'tool') adjusting.drop(path)
    else adjusting.unsupported(path)
    return rest
  })
}

/** What the caller gave under the vendor's own name stays. */
function withReasoningAs(message: Message, field: string): Message {
  if (message.role !== 'assistant' || !('reasoning_content' in message)) return message
  const { reasoning_content, ...rest } = message
  return { [field]: reasoning_content, ...rest } as Message
}

function asSystem(message: Message): Message {
  return message.role === 'developer' ? { ...message, role: 'system' } : message
}

/** Throws `GatewayError` (400) where the caller gave a parameter under both names, and not the same. */
function giveName(body: Record<string, unknown>, name: string, theirs: string): void {
  const value = body[name]
  if (value === undefined) return
  const other = body[theirs]
  if (other !== undefined && other !== value) {
    throw new GatewayError('invalid_parameter_combination', {
      message: `Setting '${name}' and '${theirs}' at the same time is not supported.`,
      param: name,
    })
  }
  body[theirs] = value
  body[name] = undefined
}

/**
 * Puts the bound of the answer's length under the one name that the target knows. Throws `GatewayError` (400)
 * where the caller gave two different bounds.
 */
function moveMaxTokens(body: Record<string, unknown>, call: Call, dialect: Dialect): void {
  const { max_tokens: older, max_completion_tokens: newer } = call.input
  const bound = newer ?? older
  if (bound === undefined) return
  if (older !== undefined && newer !== undefined && older !== newer) {
    throw new GatewayError('invalid_parameter_combination', {
      message: "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.",
      param: 'max_tokens',
    })
  }
  leaveOut(body, 'max_tokens')
  leaveOut(body, 'max_completion_tokens')
  body[parameterOf(call, dialect)] = bound
}

function parameterOf(call: Call, { maxTokensParameter = 'by-model' }: Dialect): string {
  if (maxTokensParameter !== 'by-model') return maxTokensParameter
  return call.capabilities?.reasoning === true ? 'max_completion_tokens' : 'max_tokens'
}

/**
 * Options of client libraries and of other gateways that say where a request goes, in whose name, and what else is
 * sent with it. No model has a parameter of these names; an upstream that is a gateway itself might heed them.
 */
const steering: readonly string[] = [
  'api_base',
  'api_key',
  'api_type',
  'api_version',
  'azure_endpoint',
  'base_url',
  'custom_llm_provider',
  'default_headers',
  'extra_body',
  'extra_headers',
  'extra_query',
]

/** Takes out of a request what would steer it. Where it goes is the service's to say; what is left out is told of. */
function dropSteering(body: Record<string, unknown>, adjusting: ParameterAdjuster): void {
  for (const name of steering) {
    if (!Object.hasOwn(body, name)) continue
    adjusting.drop(name, 'where a request goes is set by the service')
    leaveOut(body, name)
  }
}

/** Keeps a member from being written as JSON. An object of which one is deleted is slow from then on. */
function leaveOut(body: Record<string, unknown>, name: string): void {
  if (body[name] !== undefined) body[name] = undefined
}
