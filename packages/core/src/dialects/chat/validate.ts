import type { Draft } from '../../contracts/draft.ts'
import type { Principal } from '../../contracts/principal.ts'
import type { UnsupportedParameters } from '../../contracts/provider.ts'
import type { RouteContext, RoutedTarget } from '../../contracts/route.ts'
import { GatewayError } from '../../errors/errors.ts'
import type { ChatRequest } from '../../protocol/chat.ts'
import { isKnownField } from '../../protocol/chat-fields.ts'
import { shorten } from '../../protocol/error-messages.ts'
import { dropInnerNulls, withoutNulls } from '../../protocol/without-nulls.ts'
import { isRestricted, permittedTargets } from '../../routing/restricted-fields.ts'
import { acceptedBy, acceptingTargets, type FoundExtension } from '../../validation/accepting-targets.ts'
import { selectCapableTargets } from '../../validation/capable-targets.ts'
import { checkFields } from '../../validation/check-fields.ts'
import { wrongType } from '../../validation/validation-error.ts'
import { standardRequest } from './extensions.ts'
import { checkConversationRules, checkFieldRules } from './live-rules.ts'
import { removeExtensions } from './remove-extensions.ts'
import { chatFields } from './schema.ts'

/** How strictly requests are validated. */
export interface ValidationRules {
  /** `schema` validates types and ranges. `live` adds the rules that hosted services enforce. */
  readonly profile: 'schema' | 'live'
  /** Whether unknown top-level fields pass or are rejected. */
  readonly unknownParameters: 'pass' | 'reject'
  /** Whether extensions that a provider does not accept are dropped or mapped, where that is possible. Default `refuse`. */
  readonly unsupportedParameters?: UnsupportedParameters
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
 * Validates a request. Reports the first error in the order of protocol section 4.3. Never coerces values, and keeps unknown
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
  const { extra, standard, found, accepting } = checkRequest(fields, rules, targets, log)
  dropInnerNulls(fields)
  const input = fields as ChatRequest
  const standardInput = standard === undefined ? input : (standard as ChatRequest)
  if (live) checkFieldRules(standardInput)
  else if (fields.max_completion_tokens !== undefined && 'max_tokens' in fields) delete fields.max_tokens
  const permitted =
    (extra === undefined && found === none) || !isRestricted(principal, rules.boundsAll)
      ? accepting
      : permittedTargets(input, extra ?? [], found, accepting, log)
  const capable = permitted.every(({ capabilities }) => capabilities === undefined)
    ? permitted
    : selectCapableTargets(input, permitted, {
        live,
        bytes: draft.bytes,
        estimateTokens: () => rules.estimateTokens(draft),
        skip: (target, why) => log.skip(target, why),
      })
  if (live) checkConversationRules(standardInput)
  return { input, targets: capable }
}

/** Fields that are valid, and the targets that accept the extensions that they use. */
interface CheckedRequest<T> {
  /** Names of fields that the protocol does not define. */
  readonly extra: readonly string[] | undefined
  /** The fields with values of the protocol only. Absent: the fields themselves. */
  readonly standard?: Record<string, unknown>
  readonly found: readonly FoundExtension[]
  readonly accepting: readonly T[]
}

const none: readonly FoundExtension[] = Object.freeze([])

/**
 * Validates the fields by the protocol. Only if that fails, looks for extensions, and validates the rest if a target accepts all
 * that are used. Throws the first error of the protocol if none does.
 */
function checkRequest<T extends RoutedTarget>(
  fields: Readonly<Record<string, unknown>>,
  { profile, unsupportedParameters }: ValidationRules,
  targets: readonly T[],
  log: Pick<RouteContext, 'skip'>,
): CheckedRequest<T> {
  const schemas = chatFields(profile === 'live')
  try {
    return { extra: checkFields(fields, schemas), found: none, accepting: targets }
  } catch (error) {
    const drops = unsupportedParameters === 'drop'
    if (!drops && targets.every(target => acceptedBy(target).length === 0)) throw error
    const { fields: standard, found } = standardRequest(fields)
    if (found.length === 0) throw error
    const accepting = acceptingTargets(found, targets, drops ? removeExtensions : undefined, log)
    if (accepting.length === 0) throw error
    const extra = checkFields(standard, schemas)
    dropInnerNulls(standard)
    return { extra, standard, found, accepting }
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
