import type { ReadRules } from '../../contracts/dialect.ts'
import type { Draft } from '../../contracts/draft.ts'
import type { EmbeddingEncoding, EmbeddingInput, EmbedRequest } from '../../contracts/embedding.ts'
import { GatewayError } from '../../errors/errors.ts'
import type { JsonObject } from '../../protocol/chat.ts'
import { shorten } from '../../protocol/error-messages.ts'
import { withoutNulls } from '../../protocol/without-nulls.ts'
import { checkFields } from '../../validation/check-fields.ts'
import { wrongType } from '../../validation/validation-error.ts'
import { embeddingFields, inputTypeName } from './schema.ts'

/** The fields of the protocol, once they are valid. */
interface ValidFields {
  readonly input: string | readonly string[] | readonly number[] | readonly (readonly number[])[]
  readonly encoding_format?: EmbeddingEncoding
  readonly dimensions?: number
  readonly user?: string
}

/**
 * Validates a request for embeddings. Reports the first error in the order of its checks. Never coerces values. Unknown fields
 * are kept in `extra`, for vendors that know them; `null` means absent.
 *
 * @throws GatewayError 400.
 */
export function readEmbeddings({ dialect, model, body }: Draft, rules: ReadRules): EmbedRequest {
  if (!Object.hasOwn(body, 'input')) throw missingInput()
  if (body.input === null) {
    throw new GatewayError('invalid_type', {
      message: wrongType('input', inputTypeName, null),
      param: 'input',
    })
  }
  const fields = withoutNulls(body)
  if (fields.input === undefined) throw missingInput()
  if (rules.unknownParameters === 'reject') refuseUnknown(Object.keys(body))
  const unknown = checkFields(fields, embeddingFields())
  const { input, encoding_format: encoding = 'float', dimensions, user } = fields as unknown as ValidFields
  if (dimensions !== undefined && dimensions < 1) throw tooFewDimensions(dimensions)
  const inputs = inputsOf(input)
  const extra = unknown === undefined ? undefined : membersOf(fields, unknown)
  return { dialect, model, body, inputs, encoding, dimensions, user, extra }
}

/** Returns the inputs as a list. A text and an array of token ids are one input each. */
function inputsOf(input: ValidFields['input']): readonly EmbeddingInput[] {
  if (typeof input === 'string') return [input]
  return typeof input[0] === 'number' ? [input as readonly number[]] : (input as readonly EmbeddingInput[])
}

/** Returns the named members. Defined one by one, as a name may be `__proto__`. */
function membersOf(fields: Readonly<Record<string, unknown>>, names: readonly string[]): JsonObject {
  return Object.fromEntries(names.map(name => [name, fields[name]])) as JsonObject
}

function missingInput(): GatewayError {
  return new GatewayError('missing_required_parameter', {
    message: "Missing required parameter: 'input'.",
    param: 'input',
  })
}

/** The error of hosted services, which names no field. */
function tooFewDimensions(dimensions: number): GatewayError {
  return new GatewayError('invalid_request', {
    message: `${dimensions} is less than the minimum of 1 - 'dimensions'`,
  })
}

function refuseUnknown(keys: readonly string[]): void {
  const known = embeddingFields()
  const unknown = keys.find(key => !known.has(key))
  if (unknown === undefined) return
  throw new GatewayError('unknown_parameter', {
    message: `Unknown parameter: '${shorten(unknown)}'.`,
    param: shorten(unknown),
  })
}
