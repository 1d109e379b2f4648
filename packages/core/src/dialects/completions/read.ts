import type { ReadRequest, ReadRules } from '../../contracts/dialect.ts'
import type { Draft } from '../../contracts/draft.ts'
import { GatewayError } from '../../errors/errors.ts'
import type { JsonObject, JsonValue } from '../../protocol/chat.ts'
import { shorten } from '../../protocol/error-messages.ts'
import { jsonMember } from '../../protocol/json-members.ts'
import { wrongType } from '../../validation/validation-error.ts'
import { promptsOf } from './outline.ts'
import { CompletionsRequest } from './request.ts'

/** The fields of the protocol. */
const known: ReadonlySet<string> = new Set([
  'model',
  'prompt',
  'best_of',
  'echo',
  'frequency_penalty',
  'logit_bias',
  'logprobs',
  'max_tokens',
  'n',
  'presence_penalty',
  'seed',
  'stop',
  'stream',
  'stream_options',
  'suffix',
  'temperature',
  'top_p',
  'user',
])

/** Maximum number of completions of one answer. */
const maxChoices = 128

/**
 * Reads a request to complete texts. Only what the gateway itself uses is validated: the request is passed on, and the vendor judges the
 * rest.
 *
 * @throws GatewayError 400.
 */
export function readCompletions(draft: Draft, rules: ReadRules): ReadRequest {
  const { body } = draft
  const unknownFields = Object.keys(body).filter(name => !known.has(name))
  if (rules.unknownParameters === 'reject' && unknownFields.length > 0) {
    const name = shorten(unknownFields[0]!)
    throw new GatewayError('unknown_parameter', { message: `Unknown parameter: '${name}'.`, param: name })
  }
  // Some servers read it, and it would be bounded by nothing.
  if (Object.hasOwn(body, 'max_completion_tokens')) {
    const param = 'max_completion_tokens'
    const message = `Unsupported parameter: '${param}' is not supported here. Use 'max_tokens' instead.`
    throw new GatewayError('unsupported_parameter', { message, param })
  }
  const prompts = readPrompts(body)
  for (const name of ['stream', 'echo']) checkType(body, name, 'boolean', 'a boolean')
  checkType(body, 'stream_options', 'object', 'an object')
  checkCount(body, 'max_tokens', 0)
  const choices = prompts * (checkCount(body, 'n', 1) ?? 1)
  const generated = prompts * (checkCount(body, 'best_of', 1) ?? 1)
  if (Math.max(choices, generated) > maxChoices) {
    throw new GatewayError('invalid_value', {
      message: `Too many completions: expected at most ${maxChoices} for all prompts together, but got ${Math.max(choices, generated)}.`,
      param: generated > choices ? 'best_of' : 'n',
    })
  }
  return { request: new CompletionsRequest(draft, choices), unknownFields }
}

/** Returns the number of prompts. Without one, the vendor has its own. Throws `GatewayError` 400. */
function readPrompts(body: JsonObject): number {
  const prompt = jsonMember(body, 'prompt') ?? undefined
  if (prompt === undefined) return 1
  const { length } = promptsOf(prompt)
  if (length > 0) return length
  const expected = 'one of a string, array of strings, array of integers or array of arrays of integers'
  throw new GatewayError('invalid_type', { message: wrongType('prompt', expected, prompt), param: 'prompt' })
}

function checkType(body: JsonObject, name: string, type: string, expected: string): void {
  const value: JsonValue | undefined = jsonMember(body, name) ?? undefined
  if (value === undefined || (typeof value === type && !Array.isArray(value))) return
  throw new GatewayError('invalid_type', { message: wrongType(name, expected, value), param: name })
}

/** Returns a count, or `undefined` if the body has none. Throws `GatewayError` 400. */
function checkCount(body: JsonObject, name: string, least: number): number | undefined {
  const value = jsonMember(body, name) ?? undefined
  if (value === undefined) return undefined
  if (!Number.isSafeInteger(value)) {
    throw new GatewayError('invalid_type', { message: wrongType(name, 'an integer', value), param: name })
  }
  if ((value as number) >= least) return value as number
  throw new GatewayError('integer_below_min_value', {
    message: `Invalid '${name}': integer below minimum value. Expected a value >= ${least}, but got ${String(value)} instead.`,
    param: name,
  })
}
