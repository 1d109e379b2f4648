import type { ReadChunk } from '@sluice/testing'

/** A call of a tool, as it was put together from its pieces. */
export interface JoinedCall {
  readonly id: string
  readonly name: string
  readonly arguments: string
}

/**
 * The calls that chunks of the protocol add up to, as clients add them up: by index, the id and the name of the first
 * piece, the arguments of all. Nothing is parsed.
 */
export function joinedCalls(chunks: readonly ReadChunk[]): JoinedCall[] {
  const calls: { id: string; name: string; arguments: string }[] = []
  for (const { choices = [] } of chunks) {
    for (const piece of choices.flatMap(({ delta }) => delta.tool_calls ?? [])) {
      const known = calls[piece.index]
      if (known === undefined) {
        calls[piece.index] = {
          id: piece.id ?? '',
          name: piece.function?.name ?? '',
          arguments: piece.function?.arguments ?? '',
        }
      } else {
        if (piece.id !== undefined || piece.function?.name !== undefined)
          throw new Error(`call ${piece.index}: opened twice`)
        known.arguments += piece.function?.arguments ?? ''
      }
    }
  }
  return calls
}

/** A chunk of the protocol with pieces of calls. */
export function piecesChunk(pieces: readonly object[], finish_reason: string | null = null): object {
  return {
    id: 'x',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta: pieces.length === 0 ? {} : { tool_calls: pieces }, finish_reason }],
  }
}
