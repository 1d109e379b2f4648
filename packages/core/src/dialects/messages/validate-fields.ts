import type { ReadRules } from '../../contracts/dialect.ts'
import type { RequestHeaders } from '../../contracts/draft.ts'
import type { JsonObject, JsonValue } from '../../protocol/chat.ts'
import { shorten } from '../../protocol/error-messages.ts'
import { jsonItems, jsonMember } from '../../protocol/json-members.ts'
import { invalid, missing, wrongType } from './invalid.ts'
import { strictVersion, versionHeader } from './wire-names.ts'

/**
 * Checks what the gateway itself reads of a request. Throws `GatewayError` (400).
 *
 * @param generates - whether an answer is wanted, which needs a bound.
 * @param passes - whether only vendors of the protocol get the request.
 */
export function checkFieldsOfGateway(body: JsonObject, generates: boolean, passes: boolean): void {
  if (generates) {
    const bound = memberOf(body, 'max_tokens')
    if (bound === undefined) throw missing('max_tokens')
    checkInteger(bound, 'max_tokens', passes ? 0 : 1)
  }
  const messages = memberOf(body, 'messages')
  if (messages === undefined) throw missing('messages')
  if (!Array.isArray(messages)) throw wrongType('messages', 'a valid list')
  checkBoolean(body, 'stream')
}

/** Checks the version that a client speaks. Throws `GatewayError` (400) for one that is no date. */
export function checkVersion(headers: RequestHeaders | undefined): void {
  const version = headers?.get(versionHeader) ?? null
  if (version === null || /^\d{4}-\d{2}-\d{2}$/.test(version)) return
  throw invalid(
    versionHeader,
    `"${shorten(version)}" is not a valid version. Expected a date such as 2023-06-01.`,
  )
}

/** Whether a request has to be valid in the strict version of the protocol. */
export function isStrict(headers: RequestHeaders | undefined, rules: ReadRules): boolean {
  return rules.profile === 'live' && headers?.get(versionHeader) === strictVersion
}

const maxMessages = 100_000

/** Checks all other fields but the conversation. Throws `GatewayError` (400). */
export function checkFields(body: JsonObject, headers: RequestHeaders | undefined, rules: ReadRules): void {
  const count = jsonItems(jsonMember(body, 'messages')).length
  if (count === 0) throw invalid('messages', 'at least one message is required', 'empty_array')
  if (count > maxMessages) {
    throw invalid(
      'messages',
      `List should have at most ${maxMessages} items, not ${count}`,
      'array_above_max_length',
    )
  }
  checkStops(memberOf(body, 'stop_sequences'))
  for (const name of ['temperature', 'top_p'] as const) {
    const value = memberOf(body, name)
    if (value !== undefined) checkNumber(value, name, 1)
  }
  const topK = memberOf(body, 'top_k')
  if (topK !== undefined) checkInteger(topK, 'top_k', 0)
  if (isStrict(headers, rules)) refuseSampling(body)
  for (const name of ['metadata', 'thinking', 'output_config', 'output_format', 'tool_choice'] as const) {
    checkObject(body, name)
  }
  const user = memberOf(memberOf(body, 'metadata'), 'user_id')
  if (user !== undefined && typeof user !== 'string') throw wrongType('metadata.user_id', 'a valid string')
  checkOneOf(memberOf(body, 'service_tier'), 'service_tier', ['auto', 'standard_only'])
  checkThinking(body)
  checkOutputConfig(body)
  checkTools(body)
}

function checkStops(stops: JsonValue | undefined): void {
  if (stops === undefined) return
  if (!Array.isArray(stops)) throw wrongType('stop_sequences', 'a valid list')
  const odd = stops.findIndex(each => typeof each !== 'string')
  if (odd !== -1) throw wrongType(`stop_sequences[${odd}]`, 'a valid string')
}

function refuseSampling(body: JsonObject): void {
  const name = ['temperature', 'top_p', 'top_k'].find(each => memberOf(body, each) !== undefined)
  if (name === undefined) return
  throw invalid(name, `not supported with version ${strictVersion}`, 'unsupported_parameter')
}

const minBudget = 1_024

function checkThinking(body: JsonObject): void {
  const thinking = memberOf(body, 'thinking')
  if (thinking === undefined) return
  const type = memberOf(thinking, 'type')
  if (type === undefined) throw missing('thinking.type')
  if (typeof type !== 'string') throw wrongType('thinking.type', 'a valid string')
  if (type !== 'enabled') return
  const path = 'thinking.budget_tokens'
  const budget = memberOf(thinking, 'budget_tokens')
  if (budget === undefined) throw missing(path)
  checkInteger(budget, path, minBudget)
}

const efforts = ['low', 'medium', 'high', 'xhigh', 'max']

function checkOutputConfig(body: JsonObject): void {
  const config = memberOf(body, 'output_config')
  checkOneOf(memberOf(config, 'effort'), 'output_config.effort', efforts)
  checkFormat(memberOf(config, 'format'), 'output_config.format')
  checkFormat(memberOf(body, 'output_format'), 'output_format')
}

function checkFormat(format: JsonValue | undefined, path: string): void {
  if (format === undefined) return
  if (!isObject(format)) throw wrongType(path, 'an object')
  checkOneOf(memberOf(format, 'type') ?? null, `${path}.type`, ['json_schema'])
  const schema = memberOf(format, 'schema')
  if (schema === undefined) throw missing(`${path}.schema`)
  if (!isObject(schema)) throw wrongType(`${path}.schema`, 'an object')
}

const toolName = /^[a-zA-Z0-9_-]{1,128}$/
const choices = ['auto', 'any', 'tool', 'none']

function checkTools(body: JsonObject): void {
  const tools = memberOf(body, 'tools')
  if (tools !== undefined && !Array.isArray(tools)) throw wrongType('tools', 'a valid list')
  const names = new Set<unknown>()
  for (const [index, tool] of jsonItems(tools).entries()) {
    checkTool(tool, `tools[${index}]`)
    const name = jsonMember(tool, 'name')
    if (typeof name === 'string' && names.has(name)) throw invalid('tools', 'Tool names must be unique.')
    names.add(name)
  }
  checkChoice(memberOf(body, 'tool_choice'), names)
}

/** A tool of another type has members of its own. */
function checkTool(tool: JsonValue, path: string): void {
  if (!isObject(tool)) throw wrongType(path, 'an object')
  const type = memberOf(tool, 'type')
  if (type !== undefined && typeof type !== 'string') throw wrongType(`${path}.type`, 'a valid string')
  if (type !== undefined && type !== 'custom') return
  const name = memberOf(tool, 'name')
  if (name === undefined) throw missing(`${path}.name`)
  if (typeof name !== 'string') throw wrongType(`${path}.name`, 'a valid string')
  if (!toolName.test(name)) throw invalid(`${path}.name`, `String should match pattern '${toolName.source}'`)
  const description = memberOf(tool, 'description')
  if (description !== undefined && typeof description !== 'string') {
    throw wrongType(`${path}.description`, 'a valid string')
  }
  const schema = memberOf(tool, 'input_schema')
  if (schema === undefined) throw missing(`${path}.input_schema`)
  if (!isObject(schema)) throw wrongType(`${path}.input_schema`, 'an object')
}

function checkChoice(choice: JsonValue | undefined, names: ReadonlySet<unknown>): void {
  if (choice === undefined) return
  const type = memberOf(choice, 'type') ?? null
  if (type === null) throw missing('tool_choice.type')
  checkOneOf(type, 'tool_choice.type', choices)
  if (type === 'none') return
  if (names.size === 0) throw invalid('tool_choice', 'may only be specified while providing tools')
  if (type !== 'tool') return
  const name = memberOf(choice, 'name')
  if (name === undefined) throw missing('tool_choice.name')
  if (typeof name !== 'string') throw wrongType('tool_choice.name', 'a valid string')
  if (!names.has(name)) throw invalid('tool_choice', `Tool '${shorten(name)}' not found in provided tools`)
}

function checkOneOf(value: JsonValue | undefined, path: string, values: readonly string[]): void {
  if (value === undefined || values.includes(value as string)) return
  if (value === null) throw missing(path)
  const quoted = values.map(each => `'${each}'`)
  const last = quoted.pop()
  throw wrongType(path, quoted.length === 0 ? String(last) : `${quoted.join(', ')} or ${last}`)
}

function checkBoolean(body: JsonObject, name: string): void {
  const value = memberOf(body, name)
  if (value !== undefined && typeof value !== 'boolean') throw wrongType(name, 'a valid boolean')
}

function checkObject(body: JsonObject, name: string): void {
  const value = memberOf(body, name)
  if (value !== undefined && !isObject(value)) throw wrongType(name, 'an object')
}

function checkInteger(value: JsonValue, path: string, minimum: number): void {
  if (!Number.isSafeInteger(value)) throw wrongType(path, 'a valid integer')
  if ((value as number) >= minimum) return
  throw invalid(path, `Input should be greater than or equal to ${minimum}`, 'integer_below_min_value')
}

function checkNumber(value: JsonValue, path: string, maximum: number): void {
  if (typeof value !== 'number') throw wrongType(path, 'a valid number')
  if (value < 0) throw invalid(path, 'Input should be greater than or equal to 0', 'decimal_below_min_value')
  if (value > maximum) {
    throw invalid(path, `Input should be less than or equal to ${maximum}`, 'decimal_above_max_value')
  }
}

/** Returns an own member, or `undefined` for one that is `null`, which counts as absent. */
function memberOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return jsonMember(value, name) ?? undefined
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
