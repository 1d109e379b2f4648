import { type Call, GatewayError, type Message } from '@sluice/core'
import type { Dialect } from './dialect.ts'
import { moveMaxTokens } from './max-tokens.ts'
import { withNineCharacterIds } from './nine-character-ids.ts'
import { strictMessages } from './strict-messages.ts'

/** Values that ask for nothing: what a vendor does anyway. */
const neutral: Readonly<Record<string, (value: unknown) => boolean>> = {
  n: value => value === 1,
  logprobs: value => value === false,
  top_logprobs: value => value === 0,
  logit_bias: value => typeof value === 'object' && value !== null && Object.keys(value).length === 0,
  presence_penalty: value => value === 0,
  frequency_penalty: value => value === 0,
  modalities: value => Array.isArray(value) && value.every(modality => modality === 'text'),
  parallel_tool_calls: value => value === true,
  tool_choice: value => value === 'auto',
}

/**
 * The caller's request in a vendor's words. Throws `GatewayError` (400, `unsupported_parameter`) for what the
 * vendor lacks and what changes the answer.
 */
export function requestBody(call: Call, dialect: Dialect): Record<string, unknown> {
  const body: Record<string, unknown> = { ...call.input, model: call.model }
  for (const name of dialect.refuse ?? []) refuse(body, name)
  for (const name of dialect.drop ?? []) delete body[name]
  moveMaxTokens(body, call, dialect)
  if (call.input.stream !== true || dialect.streamOptions === false) delete body.stream_options
  else body.stream_options = { ...call.input.stream_options, include_usage: true }
  if (dialect.messageNames === false) refuseNames(call.input.messages)
  let { messages } = call.input
  if (dialect.developerRole === 'system') messages = messages.map(asSystem)
  if (dialect.messageFields === 'strict') messages = strictMessages(messages)
  if (dialect.toolCallIds !== undefined) messages = withNineCharacterIds(messages)
  body.messages = messages
  if (dialect.requiredToolChoice !== undefined && body.tool_choice === 'required') {
    body.tool_choice = dialect.requiredToolChoice
  }
  for (const [name, theirs] of Object.entries(dialect.rename ?? {})) {
    if (body[name] === undefined) continue
    body[theirs] = body[name]
    delete body[name]
  }
  return body
}

function refuse(body: Record<string, unknown>, name: string): void {
  const value = body[name]
  if (value === undefined || value === null) return
  if (neutral[name]?.(value) !== true) throw unsupported(name)
  delete body[name]
}

function refuseNames(messages: readonly Message[]): void {
  const at = messages.findIndex(message => 'name' in message && message.role !== 'function')
  if (at !== -1) throw unsupported(`messages[${at}].name`)
}

function asSystem(message: Message): Message {
  return message.role === 'developer' ? { ...message, role: 'system' } : message
}

function unsupported(param: string): GatewayError {
  return new GatewayError('unsupported_parameter', {
    message: `Unsupported parameter: '${param}' is not supported with this model.`,
    param,
  })
}
