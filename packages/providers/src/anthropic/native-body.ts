import {
  type Adjustment,
  type BodyEdit,
  type NativeCall,
  type NativeRequestBody,
  spliceJson,
  spliceJsonBody,
} from '@sluice/core/provider'
import { isFields } from '../wire/json-value.ts'

/** A caller's body for a vendor that speaks the Messages API. */
export interface NativeBody<Body = NativeRequestBody> {
  readonly body: Body
  readonly adjustments: readonly Adjustment[]
}

/**
 * Returns the body of a call with its edits. Without any it is the text that came.
 *
 * @param own - the edits of the provider. They come last.
 * @param keepsBilling - whether the upstream reads the billing line that some clients put before the system text.
 */
export function nativeBody(call: NativeCall, own: readonly BodyEdit[], keepsBilling: boolean): NativeBody {
  const { edits, adjustments } = allEdits(call, own, keepsBilling)
  return { body: spliceJsonBody(call, edits), adjustments }
}

/** Returns the same as text, for a provider that has to sign it. */
export function nativeText(
  call: NativeCall,
  own: readonly BodyEdit[],
  keepsBilling: boolean,
): NativeBody<string> {
  const { edits, adjustments } = allEdits(call, own, keepsBilling)
  return { body: spliceJson(call.text, edits), adjustments }
}

function allEdits(call: NativeCall, own: readonly BodyEdit[], keepsBilling: boolean) {
  const billing = keepsBilling ? undefined : billingPath(call.request.body.system)
  const removed: readonly BodyEdit[] = billing === undefined ? [] : [{ path: billing, value: undefined }]
  return {
    edits: [...removed, ...call.edits, ...own],
    adjustments: billing === undefined ? [] : [billingAdjustment],
  }
}

/** Returns the edit that names the model as the vendor does; none where the caller's name is the vendor's. */
export function modelEdits({ request, model }: NativeCall): readonly BodyEdit[] {
  return request.body.model === model ? [] : [{ path: ['model'], value: model }]
}

const billingAdjustment: Adjustment = {
  parameter: 'system[0]',
  action: 'dropped',
  detail: 'a billing line of the client, which changes between conversations and so defeats prompt caches',
}

/** Returns where the billing line of Claude Code is: the first block of the system text, or all of it. */
function billingPath(system: unknown): BodyEdit['path'] | undefined {
  if (!Array.isArray(system)) return undefined
  const [first] = system as readonly unknown[]
  if (!isFields(first) || typeof first.text !== 'string') return undefined
  if (!first.text.startsWith('x-anthropic-billing-header:')) return undefined
  return system.length === 1 ? ['system'] : ['system', 0]
}
