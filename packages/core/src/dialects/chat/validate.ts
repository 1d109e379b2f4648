import type { Draft } from '../../contracts/draft.ts'
import type { Principal } from '../../contracts/principal.ts'
import type { RouteContext, RoutedTarget } from '../../contracts/route.ts'
import { GatewayError } from '../../errors/errors.ts'
import type { ChatRequest } from '../../protocol/chat.ts'
import { isKnownField } from '../../protocol/chat-fields.ts'
import { shorten } from '../../protocol/error-messages.ts'
import { dropInnerNulls, withoutNulls } from '../../protocol/without-nulls.ts'
import { isRestricted, permittedTargets } from '../../routing/restricted-fields.ts'
import { selectCapableTargets } from '../../validation/capable-targets.ts'
import { checkFields } from '../../validation/check-fields.ts'
import { wrongType } from '../../validation/validation-error.ts'
import { checkConversationRules, checkFieldRules } from './live-rules.ts'
import { chatFields } from './schema.ts'

/** How strictly requests are validated. */
export interface ValidationRules {
  /** `schema` validates types and ranges. `live` adds the rules that hosted services enforce. */
  readonly profile: 'schema' | 'live'
  /** Whether unknown top-level fields pass or are rejected. */
  readonly unknownParameters: 'pass' | 'reject'
  /** Whether the gateway limits the usage of every principal, so that none may send restricted fields. */
  readonly boundsAll: boolean
  /** Returns the estimated tokens of prompt and answer. It affects the order of targets, and rejects none. */
  readonly estimateTokens: (draft: Draft) => number
}

/** A valid request and the targets that support it. */
export interface Validated<T extends RoutedTarget> {
  readonly input: ChatRequest
  /** At least one. */
  readonly targets: readonly T[]
}

/**
 * Validates a request. Reports the first error in the order that hosted services use. Never coerces values, and keeps unknown
 * members. If both token limits are set, which the `live` profile rejects, `max_completion_tokens` applies.
 *
 * @param log - records the targets that do not support the request.
 * @throws GatewayError 400, also if no target supports the request.
 */
export function validate<T extends RoutedTarget>(
  draft: Draft,
  principal: Principal,
  targets: readonly T[],
  rules: ValidationRules,
  log: Pick<RouteContext, 'skip'>,
): Validated<T> {
  const { body } = draft
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
  const extra = checkFields(fields, chatFields(live))
  dropInnerNulls(fields)
  const input = fields as ChatRequest
  if (live) checkFieldRules(input)
  else if (fields.max_completion_tokens !== undefined && 'max_tokens' in fields) delete fields.max_tokens
  const permitted =
    extra === undefined || !isRestricted(principal, rules.boundsAll)
      ? targets
      : permittedTargets(input, extra, targets, log)
  const capable = permitted.every(({ capabilities }) => capabilities === undefined)
    ? permitted
    : selectCapableTargets(input, permitted, {
        live,
        bytes: draft.bytes,
        estimateTokens: () => rules.estimateTokens(draft),
        skip: (target, why) => log.skip(target, why),
      })
  if (live) checkConversationRules(input)
  return { input, targets: capable }
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
