import type { Adjustment } from '../../contracts/provider.ts'
import { readerOf, whyUnread } from '../../conversation/sealed-reasoning.ts'
import type { JsonObject, JsonValue } from '../../protocol/chat.ts'
import { jsonItems, jsonMember } from '../../protocol/json-members.ts'
import { itemType } from './item-types.ts'

/** An item of encrypted reasoning. */
export interface EncryptedItem {
  /** Its index in the input. */
  readonly index: number
  /** Who alone can read it; `undefined` for that of a vendor, which does not tell. */
  readonly realm: string | undefined
}

/** A body without some of its encrypted reasoning. */
export interface ReadableBody {
  readonly body: JsonObject
  readonly adjustments: readonly Adjustment[]
  /** The items whose reasoning was left out. */
  readonly left: readonly number[]
}

/** Returns the encrypted reasoning of a body that may be invalid. */
export function encryptedItems(body: JsonObject): readonly EncryptedItem[] {
  const found: EncryptedItem[] = []
  for (const [index, item] of jsonItems(jsonMember(body, 'input')).entries()) {
    const text = encryptedText(item)
    if (text !== '') found.push({ index, realm: readerOf(text) })
  }
  return found
}

/** Returns what is encrypted in an item of reasoning, or an empty text. */
export function encryptedText(item: JsonValue): string {
  const text = itemType(item) === 'reasoning' ? jsonMember(item, 'encrypted_content') : undefined
  return typeof text === 'string' ? text : ''
}

/**
 * Returns a body with empty texts in place of some encrypted reasoning, so that all items keep their positions. `why`: default by
 * the realm.
 */
export function withoutEncrypted(
  body: JsonObject,
  left: readonly EncryptedItem[],
  why?: string,
): ReadableBody {
  const input = [...jsonItems(jsonMember(body, 'input'))]
  const adjustments: Adjustment[] = []
  for (const { index, realm } of left) {
    input[index] = { ...(input[index] as JsonObject), encrypted_content: '' }
    const detail = why ?? whyUnread(realm)
    adjustments.push({ parameter: `input[${index}].encrypted_content`, action: 'dropped', detail })
  }
  return { body: { ...body, input }, adjustments, left: left.map(({ index }) => index) }
}
