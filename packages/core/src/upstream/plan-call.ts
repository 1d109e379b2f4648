import type { Adjustment, Target, UnsupportedParameters } from '../contracts/provider.ts'
import type { GenerateRequest, NativeBody } from '../conversation/generate-request.ts'
import { memberOf } from '../primitives/own-members.ts'
import { embedRequestFor, requestFor } from '../validation/overridden-settings.ts'
import { realmOf } from '../validation/realm.ts'
import { speaks } from '../validation/speaks.ts'
import {
  type CallRequest,
  CountRequest,
  EmbedPart,
  ModerateCallRequest,
  RerankCallRequest,
} from './call-request.ts'
import type { PlannedCall } from './lazy-call.ts'

/** What a plan takes from its attempt. */
interface PlanOptions {
  readonly unsupportedParameters: UnsupportedParameters
  /** The chosen key of the provider, if it has several. */
  readonly key: string | undefined
}

/** A call, and the adjustments that the parameters of its target made. */
export interface CallPlan {
  readonly planned: PlannedCall
  readonly adjustments: readonly Adjustment[]
}

const none: readonly Adjustment[] = Object.freeze([])

/** Decides how a target is called: in the caller's dialect where its vendor speaks it, else by translation. */
export function planCall(given: CallRequest, target: Target, options: PlanOptions): CallPlan {
  const { provider, model, capabilities } = target
  const { unsupportedParameters, key } = options
  const call = { model, capabilities, unsupportedParameters, key }
  if (given instanceof EmbedPart) {
    const { request, adjustments } = embedRequestFor(given.request, target)
    return { planned: { form: 'embed', ...call, part: new EmbedPart(request, given.inputs) }, adjustments }
  }
  // No parameter of a target is one of these requests.
  if (given instanceof RerankCallRequest) {
    return { planned: { form: 'rerank', ...call, request: given.request }, adjustments: none }
  }
  if (given instanceof ModerateCallRequest) {
    return { planned: { form: 'moderate', ...call, request: given.request }, adjustments: none }
  }
  const counts = given instanceof CountRequest
  const asked = counts ? given.request : given
  const readable = asked.forRealm?.(() => realmOf(target))
  const original = readable?.request ?? asked
  const overridden = requestFor(original, target)
  const request = overridden?.request ?? original
  const adjustments = joined(readable?.adjustments, overridden?.adjustments)
  if (counts) {
    const native = provider.count?.encodeNative && nativeBody(request, target)
    return {
      planned: { form: 'count', ...call, request, native },
      adjustments: joined(adjustments, native?.adjustments),
    }
  }
  if (request.operation === 'complete') {
    const native = request.native?.()
    if (native === undefined) throw new TypeError('A request to complete texts has no body to pass on.')
    return { planned: { form: 'complete', ...call, request, native }, adjustments }
  }
  const native = nativeBody(request, target)
  if (native === undefined || memberOf(provider, 'encodeNative') === undefined) {
    const reported = isTranslatedForHooks(request, target) ? [translatedForHooks] : none
    return { planned: { form: 'translated', ...call, request }, adjustments: joined(adjustments, reported) }
  }
  return {
    planned: { form: 'native', ...call, request, native },
    adjustments: joined(adjustments, native.adjustments),
  }
}

/** Reported where a vendor would have got the request as it came. */
const translatedForHooks: Adjustment = {
  parameter: 'body',
  action: 'mapped',
  detail: 'translated, as a hook reads the response',
}

function isTranslatedForHooks(request: GenerateRequest, target: Target): boolean {
  return request.native !== undefined && speaks(target, request.dialect) && request.native() === undefined
}

function joined(
  first: readonly Adjustment[] = none,
  second: readonly Adjustment[] = none,
): readonly Adjustment[] {
  if (first.length === 0) return second
  return second.length === 0 ? first : [...first, ...second]
}

function nativeBody(request: GenerateRequest, target: Target): NativeBody | undefined {
  return request.native !== undefined && speaks(target, request.dialect) ? request.native() : undefined
}
