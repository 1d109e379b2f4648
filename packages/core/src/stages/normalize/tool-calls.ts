import type { ToolCall, ToolCallDelta } from '../../protocol/chat.ts'
import type { PartialToolCall } from '../../provider.ts'
import { UpstreamError } from '../../upstream-error.ts'

/** The most calls of one answer: clients take no more. */
const maxCalls = 128
/** The most that is kept back, in UTF-16 code units: nothing of it reaches a client that could slow it down. */
const maxHeld = 8_388_608

interface Slot {
  readonly index: number
  readonly id: string
  readonly vendorId: string | undefined
  readonly type: 'function' | 'custom'
  hasText: boolean
}

/**
 * Sorts the pieces of tool calls that vendors send: some without an index, some all at index 0, some with
 * indexes that start at 1, some whole in one piece. A new id that is not empty always opens a call; what
 * has neither index nor id belongs to the last one. Calls are numbered from 0 in the order they open.
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
      let slot = this.#find(piece)
      const isNew = slot === undefined
      if (slot === undefined) {
        slot = this.#open(piece)
        deltas.push(openerOf(slot, piece))
      }
      const text = textOf(piece)
      // An opener carries no text (protocol section 3.2), also where the vendor gave the call whole.
      if (text !== undefined && text !== '') {
        slot.hasText = true
        deltas.push(continuation(slot, text))
      } else if (!isNew && piece.extra_content !== undefined) {
        deltas.push({ index: slot.index, extra_content: piece.extra_content })
      }
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
      const deltas = held.filter(({ index }) => index === slot.index)
      if (slot.type === 'custom' || slot.hasText) return deltas
      slot.hasText = true
      return [...deltas, continuation(slot, '{}')]
    })
  }

  #find(piece: PartialToolCall): Slot | undefined {
    const id = piece.id === '' ? undefined : piece.id
    if (piece.index !== undefined) {
      const slot = this.#byVendorIndex.get(piece.index)
      if (slot !== undefined && (id === undefined || id === slot.vendorId)) return slot
      if (id === undefined) return undefined
    }
    if (id !== undefined) return this.#byVendorId.get(id)
    // A piece that names a function without saying which call it continues is a call of its own.
    return nameOf(piece) === undefined ? this.#slots.at(-1) : undefined
  }

  #open(piece: PartialToolCall): Slot {
    if (this.#slots.length === maxCalls) {
      throw new UpstreamError(`The upstream called more than ${maxCalls} tools.`, { kind: 'garbled' })
    }
    const vendorId = piece.id === '' ? undefined : piece.id
    const slot: Slot = {
      index: this.#slots.length,
      id: vendorId ?? `call_${this.#newId().slice(0, 24)}`,
      vendorId,
      type: piece.type ?? (piece.custom === undefined ? 'function' : 'custom'),
      hasText: false,
    }
    const last = this.#slots.at(-1)
    if (last?.type === 'function' && !last.hasText) this.#unfinished ??= last
    this.#slots.push(slot)
    if (piece.index !== undefined) this.#byVendorIndex.set(piece.index, slot)
    if (vendorId !== undefined) this.#byVendorId.set(vendorId, slot)
    return slot
  }
}

function openerOf({ index, id, type }: Slot, piece: PartialToolCall): ToolCallDelta {
  const name = nameOf(piece) ?? ''
  const extra = piece.extra_content === undefined ? {} : { extra_content: piece.extra_content }
  return type === 'custom'
    ? { index, id, type, custom: { name, input: '' }, ...extra }
    : { index, id, type, function: { name, arguments: '' }, ...extra }
}

/** How much text a piece brings, in UTF-16 code units. */
export function deltaChars(delta: ToolCallDelta): number {
  return delta.function?.arguments?.length ?? delta.custom?.input?.length ?? 0
}

/** The whole calls of an answer that was not streamed. */
export function wholeToolCalls(pieces: readonly PartialToolCall[], newId: () => string): ToolCall[] {
  return pieces.map(piece => {
    const id = piece.id === undefined || piece.id === '' ? `call_${newId().slice(0, 24)}` : piece.id
    const extra = piece.extra_content === undefined ? {} : { extra_content: piece.extra_content }
    if (piece.custom !== undefined) {
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

function continuation(slot: Slot, text: string): ToolCallDelta {
  return slot.type === 'custom'
    ? { index: slot.index, custom: { input: text } }
    : { index: slot.index, function: { arguments: text } }
}

function nameOf(piece: PartialToolCall): string | undefined {
  return piece.function?.name ?? piece.custom?.name
}

function textOf(piece: PartialToolCall): string | undefined {
  return piece.function?.arguments ?? piece.custom?.input
}
