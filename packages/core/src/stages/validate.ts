import { GatewayError } from '../errors.ts'
import { modelMisfit } from '../model-misfit.ts'
import type { ChatRequest } from '../protocol/chat.ts'
import { checkFields, isKnownField } from '../protocol/check-fields.ts'
import { inputParts } from '../protocol/input-parts.ts'
import { checkConversationRules, checkFieldRules } from '../protocol/live-rules.ts'
import { wrongType } from '../protocol/refusal-of-issue.ts'
import { dropInnerNulls, withoutNulls } from '../protocol/without-nulls.ts'
import { shorten } from '../protocol/wording.ts'
import type { Target } from '../provider.ts'
import type { Draft } from './read.ts'

/** How strictly a request is looked at. */
export interface ValidationRules {
  /** `schema` checks types and ranges; `live` adds the rules that hosted services enforce. */
  readonly profile: 'schema' | 'live'
  /** What becomes of top-level fields that the protocol does not know. */
  readonly unknownParameters: 'pass' | 'reject'
}

/** A valid request, and where it can be answered. */
export interface Validated {
  readonly input: ChatRequest
  /** At least one. */
  readonly targets: readonly Target[]
}

/**
 * Is the rest of it sound? Reports one fault: the first in the order of protocol section 4.3. The request is
 * made of the caller's own values; nothing is coerced, and unknown members are kept. Where both token limits
 * are given, which the `live` profile refuses, `max_completion_tokens` stands.
 *
 * @throws GatewayError 400, also where no target can take the request.
 */
export function validate(draft: Draft, targets: readonly Target[], rules: ValidationRules): Validated {
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
  checkFields(fields, live)
  dropInnerNulls(fields)
  const input = fields as ChatRequest
  if (live) checkFieldRules(input)
  else if (fields.max_completion_tokens !== undefined) delete fields.max_tokens
  const capable = capableTargets(input, targets, rules.profile)
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

/**
 * The targets that can take a request, as far as their capabilities are known, in their order.
 *
 * @throws GatewayError 400, with the first target's reason, when there is none.
 */
export function capableTargets(
  input: ChatRequest,
  targets: readonly Target[],
  profile: ValidationRules['profile'],
): readonly Target[] {
  if (targets.every(target => target.capabilities === undefined)) return targets
  const parts = inputParts(input.messages)
  const capable: Target[] = []
  let reason: GatewayError | undefined
  for (const target of targets) {
    const found = target.capabilities && modelMisfit(input, parts, target.capabilities, profile === 'live')
    if (found === undefined) capable.push(target)
    else reason ??= found
  }
  if (capable.length === 0 && reason !== undefined) throw reason
  return capable
}
