import type { ReadRules } from '../../contracts/dialect.ts'
import type { Draft } from '../../contracts/draft.ts'
import type { ModerateRequest } from '../../contracts/moderation.ts'
import { GatewayError } from '../../errors/errors.ts'
import type { JsonValue } from '../../protocol/chat.ts'
import { shorten } from '../../protocol/error-messages.ts'
import { jsonMember } from '../../protocol/json-members.ts'
import { wrongType } from '../../validation/validation-error.ts'

/** Maximum number of texts of a request. */
const maxInputs = 2_048

const known: readonly string[] = ['model', 'input']

/**
 * Reads a request to moderate texts or images. What only the vendor can judge is left to it: the request is passed on.
 *
 * @throws GatewayError 400.
 */
export function readModeration({ dialect, model, body, text }: Draft, rules: ReadRules): ModerateRequest {
  const input = jsonMember(body, 'input')
  if (input === undefined) {
    const message = "Missing required parameter: 'input'."
    throw new GatewayError('missing_required_parameter', { message, param: 'input' })
  }
  if (typeof input !== 'string' && !Array.isArray(input)) {
    const message = wrongType('input', 'one of a string or array', input)
    throw new GatewayError('invalid_type', { message, param: 'input' })
  }
  if (rules.unknownParameters === 'reject') refuseUnknown(Object.keys(body))
  if (input.length > maxInputs && typeof input !== 'string') throw tooMany(input.length)
  return {
    dialect,
    model,
    body,
    text: text ?? JSON.stringify(body),
    inputs: textsOf(input),
    results: resultsOf(input),
  }
}

/** Returns the texts of an input: of parts of one message those that are text. */
export function textsOf(input: JsonValue | undefined): readonly string[] {
  if (typeof input === 'string') return [input]
  if (!Array.isArray(input)) return []
  return input.flatMap((each: JsonValue) => {
    const text = typeof each === 'string' ? each : jsonMember(each, 'text')
    return typeof text === 'string' ? [text] : []
  })
}

/** Texts have a result each. The parts of a message have one together, at some vendors. */
function resultsOf(input: string | readonly JsonValue[]): number | undefined {
  if (typeof input === 'string') return 1
  return input.every(each => typeof each === 'string') ? input.length : undefined
}

function tooMany(length: number): GatewayError {
  return new GatewayError('array_above_max_length', {
    message: `Invalid 'input': array too long. Expected an array with maximum length ${maxInputs}, but got an array with length ${length} instead.`,
    param: 'input',
  })
}

function refuseUnknown(keys: readonly string[]): void {
  const unknown = keys.find(key => !known.includes(key))
  if (unknown === undefined) return
  throw new GatewayError('unknown_parameter', {
    message: `Unknown parameter: '${shorten(unknown)}'.`,
    param: shorten(unknown),
  })
}
