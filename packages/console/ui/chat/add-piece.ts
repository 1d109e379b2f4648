import type { ToolCall, ToolCallPiece, Turn } from './chat-types.ts'
import type { AnswerPiece } from './dialects/chat-dialect.ts'

/** A turn while its answer arrives. */
export interface ArrivingTurn extends Turn {
  /** The position in the answer of each of `calls`. */
  readonly positions?: readonly number[]
}

/** Adds what an event says to the turn that it belongs to. */
export function addPiece(turn: ArrivingTurn, { text, reasoning, calls = [] }: AnswerPiece): ArrivingTurn {
  if (text === undefined && reasoning === undefined && calls.length === 0) return turn
  return calls.reduce(addCallPiece, {
    ...turn,
    ...(text === undefined ? {} : { text: turn.text + text }),
    ...(reasoning === undefined ? {} : { reasoning: (turn.reasoning ?? '') + reasoning }),
  })
}

function addCallPiece(turn: ArrivingTurn, piece: ToolCallPiece): ArrivingTurn {
  const { calls = [], positions = [] } = turn
  const index = positions.indexOf(piece.at)
  const before: ToolCall = calls[index] ?? { id: '', name: '', arguments: '' }
  const call: ToolCall = {
    id: piece.id ?? before.id,
    name: piece.name ?? before.name,
    arguments: before.arguments + (piece.arguments ?? ''),
  }
  return index === -1
    ? { ...turn, calls: [...calls, call], positions: [...positions, piece.at] }
    : { ...turn, calls: calls.map((each, at) => (at === index ? call : each)) }
}
