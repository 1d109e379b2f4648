import type { PartialToolCall } from '../contracts/provider.ts'
import type { ToolCall } from '../protocol/chat.ts'
import { callId, idOf, nameOf, textOf, toolTypeOf } from './tool-call-piece.ts'

/** The whole calls of an answer that was not streamed. */
export function wholeToolCalls(pieces: readonly PartialToolCall[], newId: () => string): ToolCall[] {
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
