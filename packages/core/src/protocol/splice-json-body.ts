// Tuned for the bench row `messages`: a body of 1 MB that is passed on costs 1.66 and not 2.06 times as much as a bare proxy and one
// `JSON.parse`, as its bytes are sent on as they were received. A copy takes fresh pages, and brings the next major GC closer.
import { utf8Length } from '../primitives/utf8-length.ts'
import type { BodyEdit } from './body-edit.ts'
import type { ReceivedText } from './received-text.ts'
import { type Replacement, replacementsOf, splicedPieces, spliceJson } from './splice-json.ts'

/** Shorter texts stay texts, in UTF-16 code units. */
const minLength = 65_536

const encoder = new TextEncoder()

/**
 * Applies edits as `spliceJson` does, to a text that is sent: a long one is returned as UTF-8. If it was received, that is a list
 * of the received bytes with what was edited, which copies none of them.
 */
export function spliceJsonBody(
  { text, received }: { readonly text: string; readonly received?: ReceivedText | undefined },
  edits: readonly BodyEdit[],
): string | Uint8Array | readonly Uint8Array[] {
  if (text.length < minLength) return spliceJson(text, edits)
  return received?.text === text
    ? splicedBytes(received, replacementsOf(text, edits))
    : encoded(edits.length === 0 ? [text] : splicedPieces(text, edits))
}

function encoded(pieces: readonly string[]): Uint8Array {
  // Enough for ASCII, which most texts are.
  const bytes = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const piece of pieces) {
    const { read, written } = encoder.encodeInto(piece, bytes.subarray(at))
    if (read < piece.length) return encoder.encode(pieces.join(''))
    at += written
  }
  return bytes
}

function splicedBytes(received: ReceivedText, replacements: readonly Replacement[]): readonly Uint8Array[] {
  const offsets = new ByteOffsets(received)
  const spliced: Uint8Array[] = []
  let piece = 0
  /** Where the piece starts. */
  let from = 0
  let done = 0
  const skipTo = (end: number, visit?: (bytes: Uint8Array) => void): void => {
    while (done < end) {
      const bytes = received.pieces[piece]!
      const to = Math.min(end, from + bytes.length)
      if (to > done) visit?.(bytes.subarray(done - from, to - from))
      done = to
      if (to < from + bytes.length) return
      from += bytes.length
      piece++
    }
  }
  const take = (bytes: Uint8Array): void => void spliced.push(bytes)
  for (const { start, end, by } of replacements) {
    skipTo(offsets.of(start), take)
    if (by !== '') spliced.push(encoder.encode(by))
    skipTo(offsets.of(end))
  }
  skipTo(received.bytes, take)
  return spliced
}

/** Finds the bytes of positions in a text, which come in order. */
class ByteOffsets {
  readonly #received: ReceivedText
  #position = 0
  #offset = 0

  constructor(received: ReceivedText) {
    this.#received = received
  }

  of(position: number): number {
    const { text, bytes } = this.#received
    // ASCII only.
    if (bytes === text.length) return position
    // From the nearer end.
    this.#offset =
      text.length - position < position - this.#position
        ? bytes - utf8Length(text.slice(position))
        : this.#offset + utf8Length(text.slice(this.#position, position))
    this.#position = position
    return this.#offset
  }
}
