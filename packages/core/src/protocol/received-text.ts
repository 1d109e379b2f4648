/** A text with the bytes that it was received in. */
export interface ReceivedText {
  readonly text: string
  /** The UTF-8 of the text. */
  readonly pieces: readonly Uint8Array[]
  /** Number of the bytes. */
  readonly bytes: number
}

/** A shorter text is not worth its pieces, in UTF-16 code units. */
export const minReceivedLength = 65_536

/** Returns a text with its bytes. `undefined` for a short one, and for one after a byte order mark, which it does not have. */
export function receivedText(
  text: string,
  pieces: readonly Uint8Array[],
  bytes: number,
): ReceivedText | undefined {
  if (text.length < minReceivedLength || pieces.find(({ length }) => length > 0)?.[0] === 0xef)
    return undefined
  return { text, pieces, bytes }
}
