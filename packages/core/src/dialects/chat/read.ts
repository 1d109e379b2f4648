import type { ExtensionPolicy, ReadRequest, ReadRules } from '../../contracts/dialect.ts'
import type { Draft } from '../../contracts/draft.ts'
import { ChatGenerateRequest } from '../../conversation/chat-generate-request.ts'
import { GatewayError } from '../../errors/errors.ts'
import type { ChatRequest } from '../../protocol/chat.ts'
import { isKnownField } from '../../protocol/chat-fields.ts'
import { shorten } from '../../protocol/error-messages.ts'
import { dropInnerNulls, withoutNulls } from '../../protocol/without-nulls.ts'
import { checkFields } from '../../validation/check-fields.ts'
import { wrongType } from '../../validation/validation-error.ts'
import { standardRequest } from './extensions.ts'
import { checkConversationRules, checkFieldRules } from './live-rules.ts'
import { removeExtensions } from './remove-extensions.ts'
import { chatFields } from './schema.ts'

/**
 * Validates a chat completion request. Reports the first error in the order of its checks. Never coerces values, and
 * keeps unknown members. If both token limits are set, which the `live` profile rejects, `max_completion_tokens` applies.
 *
 * @throws GatewayError 400.
 */
export function readChat({ body }: Draft, rules: ReadRules, extensions: ExtensionPolicy): ReadRequest {
  if (!Object.hasOwn(body, 'messages')) throw missingMessages()
  if (body.messages === null) {
    throw new GatewayError('invalid_type', {
      message: wrongType('messages', 'an array of objects', null),
      param: 'messages',
    })
  }
  if (rules.unknownParameters === 'reject') refuseUnknown(Object.keys(body))
  const fields = withoutNulls(body)
  if (fields.messages === undefined) throw missingMessages()
  const live = rules.profile === 'live'
  const { unknownFields, standard } = checkedFields(fields, live, extensions)
  dropInnerNulls(fields)
  const input = fields as ChatRequest
  const request = new ChatGenerateRequest(input, body)
  if (live) {
    const standardInput = standard === undefined ? input : (standard as ChatRequest)
    checkFieldRules(standardInput)
    return { request, unknownFields, finish: () => checkConversationRules(standardInput) }
  }
  if (fields.max_completion_tokens !== undefined && 'max_tokens' in fields) delete fields.max_tokens
  return { request, unknownFields }
}

/** Fields that are valid. */
interface CheckedFields {
  /** Names of fields that the protocol does not define. */
  readonly unknownFields: readonly string[] | undefined
  /** The fields with values of the protocol only. Absent: the fields themselves. */
  readonly standard?: Record<string, unknown>
}

/**
 * Validates the fields by the protocol. Only if that fails, looks for extensions, and validates the rest if they are accepted.
 * Throws the first error of the protocol otherwise.
 */
function checkedFields(
  fields: Readonly<Record<string, unknown>>,
  live: boolean,
  extensions: ExtensionPolicy,
): CheckedFields {
  const schemas = chatFields(live)
  try {
    return { unknownFields: checkFields(fields, schemas) }
  } catch (error) {
    if (!extensions.possible) throw error
    const { fields: standard, found } = standardRequest(fields)
    if (found.length === 0 || !extensions.accept(found, removeExtensions)) throw error
    const unknownFields = checkFields(standard, schemas)
    dropInnerNulls(standard)
    return { unknownFields, standard }
  }
}

function missingMessages(): GatewayError {
  return new GatewayError('missing_required_parameter', {
    message: "Missing required parameter: 'messages'.",
    param: 'messages',
  })
}

function refuseUnknown(keys: readonly string[]): void {
  const unknown = keys.find(key => !isKnownField(key))
  if (unknown === undefined) return
  throw new GatewayError('unknown_parameter', {
    message: `Unknown parameter: '${shorten(unknown)}'.`,
    param: shorten(unknown),
  })
}
