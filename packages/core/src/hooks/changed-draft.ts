import type { DialectEndpoint } from '../contracts/dialect.ts'
import type { Draft } from '../contracts/draft.ts'
import type { Outline } from '../contracts/outline.ts'
import type { BodyEdit } from '../conversation/body-edit.ts'
import { utf8Length } from '../primitives/utf8-length.ts'
import type { JsonObject } from '../protocol/chat.ts'
import { spliceJson } from '../protocol/splice-json.ts'

/**
 * Returns a draft with edits of its body, and another model where one is given. What is not edited stays as the caller wrote it.
 * Throws `RangeError` for an item of an array that does not exist, and `TypeError` for a stored conversation that would be replaced.
 */
export function changedDraft(
  draft: Draft,
  edits: readonly BodyEdit[],
  model: string | undefined,
  dialect: Pick<DialectEndpoint, 'outline'>,
): Draft {
  // What precedes the caller's own items is counted from the beginning.
  if (draft.restored !== undefined && edits.some(({ path }) => path.length === 1 && path[0] === 'input')) {
    throw new TypeError(
      'The input of a request that continues a stored response cannot be replaced, only its items.',
    )
  }
  const all = model === undefined ? edits : [...edits, { path: ['model'], value: model }]
  const text = spliceJson(draft.text ?? JSON.stringify(draft.body), all)
  const body = JSON.parse(text) as JsonObject
  const bytes = utf8Length(text)
  const outline = outlineOf(draft, dialect.outline(body, bytes, draft.headers))
  const changed = {
    ...draft,
    model: model ?? draft.model,
    body,
    bytes,
    outline,
    unhooked: draft.unhooked ?? draft.body,
  }
  return Object.freeze(draft.text === undefined ? changed : { ...changed, text })
}

/** A conversation keeps its key: that of a stored one is not in the body. */
function outlineOf({ restored, outline: before }: Draft, outline: Outline): Outline {
  if (restored === undefined) return outline
  // Its members may read private ones, which no object derived from it has.
  return new Proxy(outline, {
    get: (target, name) => Reflect.get(name === 'conversationKey' ? before : target, name) as unknown,
  })
}
