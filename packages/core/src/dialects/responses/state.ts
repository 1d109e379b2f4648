import type { DialectState, StateReferences, StoredTurn } from '../../contracts/dialect.ts'
import type { Draft } from '../../contracts/draft.ts'
import { utf8Length } from '../../primitives/utf8-length.ts'
import type { JsonObject, JsonValue } from '../../protocol/chat.ts'
import { jsonItems, jsonMember } from '../../protocol/json-members.ts'
import { spliceJson } from '../../protocol/splice-json.ts'
import { responsesBackground } from './background.ts'
import { itemKinds, itemType } from './item-types.ts'
import { restoredOutline } from './outline.ts'
import { finishPassedResponse } from './pass.ts'
import { finishResponse } from './response-text.ts'

/** How requests in the Responses API refer to what is stored. */
export const responsesState: DialectState = {
  references,
  allowsStoring: body => jsonMember(body, 'store') !== false,
  restore,
  inputOf,
  finish: finishResponse,
  finishNative: (native, identity, { body }) => finishPassedResponse(native, identity, body),
  background: responsesBackground,
}

const reference = 'item_reference'

function references(body: JsonObject): StateReferences {
  const previous = jsonMember(body, 'previous_response_id')
  const itemIds: string[] = []
  for (const item of jsonItems(jsonMember(body, 'input'))) {
    if (itemType(item) !== reference) continue
    const id = jsonMember(item, 'id')
    if (typeof id === 'string') itemIds.push(id)
  }
  return { previousId: typeof previous === 'string' ? previous : undefined, itemIds }
}

function restore(draft: Draft, chain: readonly StoredTurn[], items: ReadonlyMap<string, JsonObject>): Draft {
  const given = jsonMember(draft.body, 'input')
  const before = chain.flatMap(({ input, output }) => [...input, ...output])
  const own = itemsOf(given).map(item => {
    const id = itemType(item) === reference ? jsonMember(item, 'id') : undefined
    return typeof id === 'string' ? (items.get(id) ?? item) : item
  })
  const input = [...before, ...own]
  const body = { ...draft.body, input }
  const text =
    draft.text === undefined ? undefined : spliceJson(draft.text, [{ path: ['input'], value: input }])
  const bytes = utf8Length(text ?? JSON.stringify(body))
  return {
    ...draft,
    body,
    bytes,
    text,
    outline: restoredOutline(body, draft.headers, chain[0]?.id),
    restored: { items: before.length, isText: typeof given === 'string' },
  }
}

/** Returns the input as items: a text is a message of the user. */
function itemsOf(input: JsonValue | undefined): readonly JsonValue[] {
  return typeof input === 'string' ? [{ type: 'message', role: 'user', content: input }] : jsonItems(input)
}

function inputOf({ body, restored }: Draft, newId: () => string): readonly JsonObject[] {
  const own = itemsOf(jsonMember(body, 'input')).slice(restored?.items ?? 0) as readonly JsonObject[]
  return own.map(item => {
    if (typeof jsonMember(item, 'id') === 'string') return item
    const type = itemType(item)
    const kind = Object.hasOwn(itemKinds, type) ? itemKinds[type] : undefined
    const prefix = type === 'message' ? 'msg' : type === 'reasoning' ? 'rs' : (kind?.prefix ?? 'item')
    return { ...item, id: `${prefix}_${newId().replaceAll('-', '')}`, ...(type === 'message' && { type }) }
  })
}
