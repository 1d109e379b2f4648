import { type BodyEdit, type NativeCall, type NativeRequestBody, spliceJsonBody } from '@sluice/core/provider'

/** What the items of reasoning need to be read again by a vendor that stores nothing. */
export const encryptedReasoning = 'reasoning.encrypted_content'

/** State of conversations, which is the gateway's: no two tenants share that of a vendor's account. */
const state = ['previous_response_id', 'conversation'] as const

/**
 * Returns the JSON text of a caller's body for a vendor that speaks the Responses API. The vendor stores nothing, and returns the
 * reasoning of models that are known to reason encrypted.
 *
 * @param encrypts - whether the vendor can return encrypted reasoning.
 */
export function nativeResponsesBody(call: NativeCall, encrypts: boolean): NativeRequestBody {
  const { body } = call.request
  const own: BodyEdit[] = []
  if (body.model !== call.model) own.push({ path: ['model'], value: call.model })
  if (body.store !== false) own.push({ path: ['store'], value: false })
  for (const name of state) if (Object.hasOwn(body, name)) own.push({ path: [name], value: undefined })
  if (encrypts && call.capabilities?.reasoning === true) {
    const include = Array.isArray(body.include) ? body.include : []
    if (!include.includes(encryptedReasoning))
      own.push({ path: ['include'], value: [...include, encryptedReasoning] })
  }
  return spliceJsonBody(call, [...call.edits, ...own])
}
