import type { PartialToolCall } from '../contracts/provider.ts'
import { UpstreamError } from '../errors/upstream-error.ts'
import type { JsonObject, ToolCall, ToolCallDelta } from '../protocol/chat.ts'
import { PairedText } from './paired-text.ts'

/** Maximum calls per response: clients accept no more. */
const maxCalls = 128
/** Maximum buffered text in UTF-16 code units: backpressure of the client does not limit it. */
const maxHeld = 8_388_608

interface Slot {
  readonly index: number
  readonly type: 'function' | 'custom'
  vendorId: string | undefined
  name: string
  extra: JsonObject | undefined
  /** The id that the client receives; `undefined` before it is sent. */
  id: string | undefined
  hasText: boolean
  readonly text: PairedText
}

/**
 * Assigns the pieces of tool calls that vendors send to calls. Pieces may lack an index, all have index 0, have indexes from
 * 1, contain a complete call, or bring an id or name later. A new id that is not empty opens a call, and so does a name at a
 * new index. A piece without index and id belongs to the last call. Calls are numbered from 0 in the order they open. Text
 * passes unchanged but for halves of surrogate pairs: it is never parsed.
 */
export class ToolCalls {
  readonly #slots: Slot[] = []
  readonly #byVendorIndex = new Map<number, Slot>()
  readonly #byVendorId = new Map<string, Slot>()
  /** The call without text although a later one has opened. Later ones are buffered. */
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
   * Returns the pieces in the shape of the protocol: the first of a call has index, id, type and name, later ones only text.
   * A call that opens before the previous one has text is buffered, because clients read one call at a time.
   *
   * Throws `UpstreamError` of kind `garbled` for more than 128 calls, and for more than 8 MiB of buffered text.
   */
  push(pieces: readonly PartialToolCall[]): ToolCallDelta[] {
    const deltas = this.#deltasOf(pieces)
    const unfinished = this.#unfinished
    if (unfinished === undefined) return deltas
    for (const delta of deltas) if (delta.index > unfinished.index) this.#hold(delta)
    return deltas.filter(({ index }) => index <= unfinished.index)
  }

  #hold(delta: ToolCallDelta): void {
    // A piece needs memory even if its text is short.
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
      const text = slot.text.push(textOf(piece) ?? '')
      const said = text !== ''
      let extra = piece.extra_content
      if (slot.id === undefined) {
        // A missing id or name may arrive before the first text.
        if (!said && (slot.vendorId === undefined || slot.name === '')) continue
        deltas.push(this.#opened(slot))
        extra = undefined
      }
      // The first chunk of a tool call has no arguments, even if the vendor sent the complete call.
      if (said) deltas.push(continuation(slot, text, extra))
      else if (extra !== undefined) deltas.push({ index: slot.index, extra_content: extra })
      if (said) slot.hasText = true
    }
    return deltas
  }

  /**
   * Returns the buffered pieces, one call after the other, and `{}` for function calls without arguments, which must be JSON.
   */
  close(): ToolCallDelta[] {
    const held = this.#held
    this.#held = []
    this.#unfinished = undefined
    return this.#slots.flatMap(slot => {
      const deltas = slot.id === undefined ? [this.#opened(slot)] : []
      deltas.push(...held.filter(({ index }) => index === slot.index))
      const rest = slot.text.end()
      if (rest !== '') {
        slot.hasText = true
        deltas.push(continuation(slot, rest))
      }
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
      // Two calls with one id stay separate: clients would join their texts.
      if (id === undefined || (slot === undefined && name !== undefined)) return undefined
    }
    if (id !== undefined) return this.#byVendorId.get(id)
    // A piece with a name, but without an id or index, opens a call.
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
      text: new PairedText(),
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

  /** Returns the first piece of a call. If two calls have one id, the second gets a new one. */
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

/** Whether a piece brings the missing id of a call with its index. */
function isFilledBy(slot: Slot, piece: PartialToolCall): boolean {
  const name = nameOf(piece)
  if (slot.vendorId !== undefined) return false
  return name === undefined || (!slot.hasText && (slot.name === '' || slot.name === name))
}

/** Returns the length of the text of a piece, in UTF-16 code units. */
export function deltaChars(delta: ToolCallDelta): number {
  return delta.function?.arguments?.length ?? delta.custom?.input?.length ?? 0
}

function continuation({ index, type }: Slot, text: string, extra?: JsonObject): ToolCallDelta {
  const rest = extra === undefined ? {} : { extra_content: extra }
  return type === 'custom'
    ? { index, custom: { input: text }, ...rest }
    : { index, function: { arguments: text }, ...rest }
}

/** Returns the vendor's id of a call, or `undefined` if there is none. */
function idOf({ id }: PartialToolCall): string | undefined {
  return id === '' ? undefined : id
}

/** Returns the type of the tool: from `type`, otherwise from the member that is present. */
function toolTypeOf({ type, custom }: PartialToolCall): 'function' | 'custom' {
  return type ?? (custom === undefined ? 'function' : 'custom')
}

/** Returns the name of the tool, or `undefined` if there is none. */
function nameOf(piece: PartialToolCall): string | undefined {
  return piece.function?.name ?? piece.custom?.name
}

/** Returns the arguments, or a piece of them. */
function textOf(piece: PartialToolCall): string | undefined {
  return piece.function?.arguments ?? piece.custom?.input
}

/** Returns an id for a call without one. */
function callId(newId: () => string): string {
  return `call_${newId().slice(0, 24)}`
}

/** Returns the tool calls of a response that was not streamed. */
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
        custom: { name: nameOf(piece) ?? '', input: textOf(piece)?.toWellFormed() ?? '' },
        ...extra,
      }
    }
    const text = textOf(piece)?.toWellFormed()
    const args = text === undefined || text === '' ? '{}' : text
    return { id, type: 'function', function: { name: nameOf(piece) ?? '', arguments: args }, ...extra }
  })
}
