import type { PartialToolCall } from '../contracts/provider.ts'

/** The vendor's id of a call; `undefined` where the piece has none. */
export function idOf({ id }: PartialToolCall): string | undefined {
  return id === '' ? undefined : id
}

/** The kind of tool that is called: as the vendor says, and otherwise by the member that is there. */
export function toolTypeOf({ type, custom }: PartialToolCall): 'function' | 'custom' {
  return type ?? (custom === undefined ? 'function' : 'custom')
}

/** The name of what is called; `undefined` where the piece does not tell. */
export function nameOf(piece: PartialToolCall): string | undefined {
  return piece.function?.name ?? piece.custom?.name
}

/** The arguments, or a piece of them. */
export function textOf(piece: PartialToolCall): string | undefined {
  return piece.function?.arguments ?? piece.custom?.input
}

/** An id for a call whose vendor gave none. */
export function callId(newId: () => string): string {
  return `call_${newId().slice(0, 24)}`
}
