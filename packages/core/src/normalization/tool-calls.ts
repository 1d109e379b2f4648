import type { PartialToolCall } from '../contracts/provider.ts'
import { UpstreamError } from '../errors/upstream-error.ts'
import type { JsonObject, ToolCall, ToolCallDelta } from '../protocol/chat.ts'

/** The most calls of one answer: clients take no more. */
const maxCalls = 128
/** The most that is kept back, in UTF-16 code units: nothing of it reaches a client that could slow it down. */
const maxHeld = 8_388_608

interface Slot {
  readonly index: number
  readonly type: 'function' | 'custom'
  vendorId: string | undefined
  name: string
  extra: JsonObject | undefined
  /** As it is told; `undefined` until it is. */
  id: string | undefined
  hasText: boolean
}

/**
 * Sorts the pieces of tool calls that vendors send: some without an index, some all at index 0, some with
 * indexes that start at 1, some whole in one piece, some with an id or a name that comes later. A new id that is
 * not empty opens a call, and so does a name at a new index; what has neither index nor id belongs to the last
 * one. Calls are numbered from 0 in the order they open. Text is passed on as it stands: it is never parsed.
 */
export class ToolCalls {
  readonly #slots: Slot[] = []
  readonly #byVendorIndex = new Map<number, Slot>()
  readonly #byVendorId = new Map<string, Slot>()
  /** The call whose text is still to come although a further one has opened: that one waits for it. */
  #unfinished: Slot | undefined
  #held: ToolCallDelta[] = []
  #heldSize = 0
  readonly #newId: () => string

  constructor(newId: () => string) {
    this.#newId = newId
  }

  get count(): number {
    return this.#slots.length
  }

  /**
   * The pieces in the protocol's shape: an opener carries index, id, type and name, later pieces text only.
   * A call that opens before the one before it has any text is kept back, for clients take one call at a time.
   *
   * Throws `UpstreamError` of kind `garbled` for more calls than 128, and for more than 8 MiB kept back.
   */
  push(pieces: readonly PartialToolCall[]): ToolCallDelta[] {
    const deltas = this.#deltasOf(pieces)
    const unfinished = this.#unfinished
    if (unfinished === undefined) return deltas
    for (const delta of deltas) if (delta.index > unfinished.index) this.#hold(delta)
    return deltas.filter(({ index }) => index <= unfinished.index)
  }

  #hold(delta: ToolCallDelta): void {
    // A piece costs memory also where its text is short.
    this.#heldSize += deltaChars(delta) + 64
    if (this.#heldSize > maxHeld) {
      throw new UpstreamError('The upstream sent too much of a tool call before the one in front of it.', {
        kind: 'garbled',
      })
    }
    this.#held.push(delta)
  }

  #deltasOf(pieces: readonly PartialToolCall[]): ToolCallDelta[] {
    const deltas: ToolCallDelta[] = []
    for (const piece of pieces) {
      const slot = this.#find(piece) ?? this.#add(piece)
      this.#fill(slot, piece)
      const text = textOf(piece)
      const said = text !== undefined && text !== ''
      let extra = piece.extra_content
      if (slot.id === undefined) {
        // What is still missing of an opener may come before its first text.
        if (!said && (slot.vendorId === undefined || slot.name === '')) continue
        deltas.push(this.#opened(slot))
        extra = undefined
      }
      // An opener carries no text (protocol section 3.2), also where the vendor gave the call whole.
      if (said) deltas.push(continuation(slot, text, extra))
      else if (extra !== undefined) deltas.push({ index: slot.index, extra_content: extra })
      if (said) slot.hasText = true
    }
    return deltas
  }

  /**
   * What was kept back, one call after the other, and `{}` for the function calls that came without any
   * arguments: arguments are JSON text.
   */
  close(): ToolCallDelta[] {
    const held = this.#held
    this.#held = []
    this.#unfinished = undefined
    return this.#slots.flatMap(slot => {
      const deltas = slot.id === undefined ? [this.#opened(slot)] : []
      deltas.push(...held.filter(({ index }) => index === slot.index))
      if (slot.type === 'custom' || slot.hasText) return deltas
      slot.hasText = true
      return [...deltas, continuation(slot, '{}')]
    })
  }

  #find(piece: PartialToolCall): Slot | undefined {
    const id = idOf(piece)
    const name = nameOf(piece)
    if (piece.index !== undefined) {
      const slot = this.#byVendorIndex.get(piece.index)
      if (slot !== undefined && (id === undefined || id === slot.vendorId || isFilledBy(slot, piece)))
        return slot
      // Two calls of one id are two: clients would take their texts for one.
      if (id === undefined || (slot === undefined && name !== undefined)) return undefined
    }
    if (id !== undefined) return this.#byVendorId.get(id)
    // A piece that names a function without saying which call it continues is a call of its own.
    return name === undefined ? this.#slots.at(-1) : undefined
  }

  #add(piece: PartialToolCall): Slot {
    if (this.#slots.length === maxCalls) {
      throw new UpstreamError(`The upstream called more than ${maxCalls} tools.`, { kind: 'garbled' })
    }
    const slot: Slot = {
      index: this.#slots.length,
      type: toolTypeOf(piece),
      vendorId: undefined,
      name: '',
      extra: undefined,
      id: undefined,
      hasText: false,
    }
    const last = this.#slots.at(-1)
    if (last?.type === 'function' && !last.hasText) this.#unfinished ??= last
    this.#slots.push(slot)
    if (piece.index !== undefined) this.#byVendorIndex.set(piece.index, slot)
    return slot
  }

  #fill(slot: Slot, piece: PartialToolCall): void {
    if (slot.name === '') slot.name = nameOf(piece) ?? ''
    slot.extra ??= piece.extra_content
    const id = idOf(piece)
    if (slot.vendorId !== undefined || id === undefined) return
    slot.vendorId = id
    this.#byVendorId.set(id, slot)
  }

  /** The opener of a call. Of two calls that the vendor gave one id, the second gets its own. */
  #opened(slot: Slot): ToolCallDelta {
    const { index, type, name, vendorId, extra } = slot
    const free = vendorId !== undefined && this.#slots.every(({ id }) => id !== vendorId)
    const id = free ? vendorId : callId(this.#newId)
    slot.id = id
    const rest = extra === undefined ? {} : { extra_content: extra }
    return type === 'custom'
      ? { index, id, type, custom: { name, input: '' }, ...rest }
      : { index, id, type, function: { name, arguments: '' }, ...rest }
  }
}

/** Whether a piece brings the id that a call of its index still lacks. */
function isFilledBy(slot: Slot, piece: PartialToolCall): boolean {
  const name = nameOf(piece)
  if (slot.vendorId !== undefined) return false
  return name === undefined || (!slot.hasText && (slot.name === '' || slot.name === name))
}

/** How much text a piece brings, in UTF-16 code units. */
export function deltaChars(delta: ToolCallDelta): number {
  return delta.function?.arguments?.length ?? delta.custom?.input?.length ?? 0
}

function continuation({ index, type }: Slot, text: string, extra?: JsonObject): ToolCallDelta {
  const rest = extra === undefined ? {} : { extra_content: extra }
  return type === 'custom'
    ? { index, custom: { input: text }, ...rest }
    : { index, function: { arguments: text }, ...rest }
}

/** The vendor's id of a call; `undefined` where the piece has none. */
function idOf({ id }: PartialToolCall): string | undefined {
  return id === '' ? undefined : id
}

/** The kind of tool that is called: as the vendor says, and otherwise by the member that is there. */
function toolTypeOf({ type, custom }: PartialToolCall): 'function' | 'custom' {
  return type ?? (custom === undefined ? 'function' : 'custom')
}

/** The name of what is called; `undefined` where the piece does not tell. */
function nameOf(piece: PartialToolCall): string | undefined {
  return piece.function?.name ?? piece.custom?.name
}

/** The arguments, or a piece of them. */
function textOf(piece: PartialToolCall): string | undefined {
  return piece.function?.arguments ?? piece.custom?.input
}

/** An id for a call whose vendor gave none. */
function callId(newId: () => string): string {
  return `call_${newId().slice(0, 24)}`
}

/** The whole calls of an answer that was not streamed. */
export function completeToolCalls(pieces: readonly PartialToolCall[], newId: () => string): ToolCall[] {
  const ids = new Set<string>()
  return pieces.map(piece => {
    const given = idOf(piece)
    const id = given === undefined || ids.has(given) ? callId(newId) : given
    ids.add(id)
    const extra = piece.extra_content === undefined ? {} : { extra_content: piece.extra_content }
    if (toolTypeOf(piece) === 'custom') {
      return {
        id,
        type: 'custom',
        custom: { name: nameOf(piece) ?? '', input: textOf(piece) ?? '' },
        ...extra,
      }
    }
    const text = textOf(piece)
    const args = text === undefined || text === '' ? '{}' : text
    return { id, type: 'function', function: { name: nameOf(piece) ?? '', arguments: args }, ...extra }
  })
}
