import type { ReadRequest, ReadRules } from '../../contracts/dialect.ts'
import type { Draft } from '../../contracts/draft.ts'
import { ChatGenerateRequest } from '../../conversation/chat-generate-request.ts'
import { GatewayError } from '../../errors/errors.ts'
import type { ChatRequest } from '../../protocol/chat.ts'
import { isKnownField } from '../../protocol/chat-fields.ts'
import { shorten } from '../../protocol/error-messages.ts'
import { dropInnerNulls, withoutNulls } from '../../protocol/without-nulls.ts'
import { checkFields } from '../../validation/check-fields.ts'
import { wrongType } from '../../validation/validation-error.ts'
import { checkConversationRules, checkFieldRules } from './live-rules.ts'
import { chatFields } from './schema.ts'

/**
 * Validates a chat completion request. Reports the first error in the order of protocol section 4.3. Never coerces values, and
 * keeps unknown members. If both token limits are set, which the `live` profile rejects, `max_completion_tokens` applies.
 *
 * @throws GatewayError 400.
 */
export function readChat({ body }: Draft, rules: ReadRules): ReadRequest {
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
  const unknownFields = checkFields(fields, chatFields(live))
  dropInnerNulls(fields)
  const input = fields as ChatRequest
  const request = new ChatGenerateRequest(input, body)
  if (live) {
    checkFieldRules(input)
    return { request, unknownFields, finish: () => checkConversationRules(input) }
  }
  if (fields.max_completion_tokens !== undefined && 'max_tokens' in fields) delete fields.max_tokens
  return { request, unknownFields }
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
