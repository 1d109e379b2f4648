import { GatewayError } from '@sluice/core'
import type { Call, ChatRequest, Message } from '@sluice/core/provider'
import type { ParameterAdjuster } from '../parameters/parameter-adjuster.ts'
import { isNeutralValue } from '../parameters/parameter-rules.ts'
import type { Fields } from '../wire/json-value.ts'
import type { CompatibilityOptions } from './compatibility-options.ts'
import { withoutCacheMarks, withoutExtraFields } from './extra-fields.ts'
import { withShortToolCallIds } from './short-tool-call-ids.ts'

/**
 * Returns the request body for a server, to be written as JSON, which omits `undefined`. Dropped fields are reported to
 * `adjuster`, renamed fields are not. Throws `GatewayError` (400) for unsupported fields that change the answer.
 */
export function requestBody(
  call: Call,
  compatibility: CompatibilityOptions,
  adjuster: ParameterAdjuster,
): Record<string, unknown> {
  const { input } = call
  const { refuse = none, drop = none, requiredToolChoice, reasoningEfforts, rename } = compatibility
  const body = copyOf(input)
  body.model = call.model
  dropRoutingOptions(body, adjuster)
  if (call.request !== undefined && call.request.dialect !== 'chat') dropForeignSettings(body, call, adjuster)
  for (const name of refuse) {
    if (!isNeutralValue(name, body[name])) adjuster.unsupported(name)
    leaveOut(body, name)
  }
  for (const name of drop) {
    if (!isNeutralValue(name, body[name])) adjuster.drop(name)
    leaveOut(body, name)
  }
  const effort = body.reasoning_effort
  if (reasoningEfforts !== undefined && typeof effort === 'string' && !reasoningEfforts.includes(effort)) {
    const expected = `Expected ${reasoningEfforts.map(value => `'${value}'`).join(' or ')}.`
    adjuster.unsupportedValue('reasoning_effort', effort, expected)
    leaveOut(body, 'reasoning_effort')
  }
  moveMaxTokens(body, call, compatibility)
  if (input.stream !== true || compatibility.streamOptions === false) leaveOut(body, 'stream_options')
  else body.stream_options = { ...input.stream_options, include_usage: true }
  body.messages = messagesIn(input.messages, compatibility, adjuster)
  if (input.tools !== undefined && body.tools !== undefined)
    body.tools = withoutCacheMarks(input.tools, compatibility, adjuster)
  if (requiredToolChoice !== undefined && body.tool_choice === 'required')
    body.tool_choice = requiredToolChoice
  if (rename !== undefined) for (const name of Object.keys(rename)) renameField(body, name, rename[name]!)
  return body
}

const none: readonly string[] = []

/** An object without inherited members. V8 is faster with it than with `Object.create(null)`. */
const Bare = /* @__PURE__ */ (() => {
  const made = function Bare() {} as unknown as new () => Record<string, unknown>
  made.prototype = Object.create(null)
  return made
})()

/** Copies field by field: to spread an object without a prototype takes twice as long. */
function copyOf(input: object): Record<string, unknown> {
  const copy = new Bare()
  for (const name of Object.keys(input)) copy[name] = (input as Fields)[name]
  return copy
}

function messagesIn(
  given: readonly Message[],
  compatibility: CompatibilityOptions,
  adjuster: ParameterAdjuster,
): readonly Message[] {
  let messages = withoutExtraFields(given, compatibility, adjuster)
  const { reasoningField } = compatibility
  if (reasoningField !== undefined)
    messages = messages.map(message => withReasoningAs(message, reasoningField))
  if (compatibility.messageNames === false) messages = withoutNames(messages, adjuster)
  if (compatibility.developerRole === 'system') messages = messages.map(asSystem)
  if (compatibility.toolCallIds !== undefined) messages = withShortToolCallIds(messages)
  return messages
}

/** A speaker's name changes the meaning, so it is refused; a tool's name is dropped, because its call has it. */
function withoutNames(messages: readonly Message[], adjuster: ParameterAdjuster): readonly Message[] {
  return messages.map((message, index) => {
    const { role } = message
    if (role === 'function' || !('name' in message)) return message
    const { name, ...rest } = message
    if (name === undefined || name === null) return rest
    const path = `messages[${index}].name`
    if (role === 'tool') adjuster.drop(path)
    else adjuster.unsupported(path)
    return rest
  })
}

/** A value under the server's own name wins. */
function withReasoningAs(message: Message, field: string): Message {
  if (message.role !== 'assistant' || !('reasoning_content' in message)) return message
  const { reasoning_content, ...rest } = message
  return { [field]: reasoning_content, ...rest } as Message
}

function asSystem(message: Message): Message {
  return message.role === 'developer' ? { ...message, role: 'system' } : message
}

/** Throws `GatewayError` (400) if the caller sent different values under both names. */
function renameField(body: Record<string, unknown>, name: string, theirs: string): void {
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
 * Returns the maximum output in tokens, which has two names. Throws `GatewayError` (400) if the caller sent two different values.
 */
export function maxOutputOf({
  max_tokens: older,
  max_completion_tokens: newer,
}: ChatRequest): number | undefined {
  if (older !== undefined && newer !== undefined && older !== newer) {
    throw new GatewayError('invalid_parameter_combination', {
      message: "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.",
      param: 'max_tokens',
    })
  }
  return newer ?? older
}

/** Moves the maximum output tokens to the field that the target supports. Throws what `maxOutputOf` throws. */
function moveMaxTokens(body: Record<string, unknown>, call: Call, compatibility: CompatibilityOptions): void {
  const bound = maxOutputOf(call.input)
  if (bound === undefined) return
  leaveOut(body, 'max_tokens')
  leaveOut(body, 'max_completion_tokens')
  body[parameterOf(call, compatibility)] = bound
}

function parameterOf(call: Call, { maxTokensParameter = 'by-model' }: CompatibilityOptions): string {
  if (maxTokensParameter !== 'by-model') return maxTokensParameter
  return call.capabilities?.reasoning === true ? 'max_completion_tokens' : 'max_tokens'
}

/**
 * Options of client libraries and other gateways that set a request's address, credentials or headers. No model has a
 * parameter with these names, but an upstream that is itself a gateway might follow them.
 */
export const routingOptions: readonly string[] = [
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

/** Drops and reports fields that could redirect a request: only the gateway's configuration sets its address. */
function dropRoutingOptions(body: Record<string, unknown>, adjuster: ParameterAdjuster): void {
  for (const name of routingOptions) {
    if (!Object.hasOwn(body, name)) continue
    adjuster.drop(name, 'where a request goes is set by the service')
    leaveOut(body, name)
  }
}

/** Drops settings of other dialects that these servers reject: sampling of their own, and effort where a model does not reason. */
function dropForeignSettings(body: Record<string, unknown>, call: Call, adjuster: ParameterAdjuster): void {
  if (body.top_k !== undefined) {
    adjuster.drop('top_k', 'not known to this vendor')
    leaveOut(body, 'top_k')
  }
  const { reasoning_effort: effort } = body
  if (effort === undefined || call.capabilities?.reasoning !== false) return
  if (effort !== 'none') adjuster.drop('reasoning_effort', 'this model does not reason')
  leaveOut(body, 'reasoning_effort')
}

/** Omits a field from the JSON. `delete` would make the object slow from then on. */
function leaveOut(body: Record<string, unknown>, name: string): void {
  if (body[name] !== undefined) body[name] = undefined
}
