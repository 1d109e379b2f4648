import type { ChatOptions, TokenCounts, ToolCallPiece, Turn } from '../chat-types.ts'

/** What an event of a streamed answer adds. */
export interface AnswerPiece {
  readonly text?: string
  readonly reasoning?: string
  readonly calls?: readonly ToolCallPiece[]
  readonly counts?: TokenCounts
  /** Whether it is the end of a complete answer. */
  readonly isEnd?: boolean
}

/** A parameter that some protocols have and others have not. */
export type OptionalParameter = 'stop' | 'seed' | 'effort'

/** A protocol that the chat can speak. */
export interface ChatDialect {
  readonly label: string
  /** The path of the gateway's endpoint, below its base path. */
  readonly path: string
  /** The path of the console's own, below `console/`. */
  readonly consolePath: string
  /** What the end of a complete answer is called. */
  readonly endName: string
  readonly maxTemperature: number
  /** The values of the reasoning effort. */
  readonly efforts: readonly string[]
  /** The parameters that it does not have: they are not sent. */
  readonly lacks: readonly OptionalParameter[]
  body(options: ChatOptions, turns: readonly Turn[]): object
  /** Returns what an event adds, given the counts so far. Throws for one that is no JSON. */
  read(data: string, counts: TokenCounts | undefined): AnswerPiece
}

/** The turns that are sent: what failed or was never answered is left out, and so are the calls of a turn that was cut off. */
export function sentTurns(turns: readonly Turn[]): readonly Turn[] {
  return turns
    .map(turn => (turn.state === 'complete' ? turn : { ...turn, calls: [] }))
    .filter(({ role, text, calls = [] }) => role !== 'assistant' || text !== '' || calls.length > 0)
}

/** A member with a number, unless nothing was typed. */
export function numberMember(name: string, typed: string): object {
  return typed === '' ? {} : { [name]: Number(typed) }
}

/** The sequences that were typed, one per line. */
export function stopSequences(typed: string): readonly string[] {
  return typed.split('\n').filter(line => line !== '')
}

/** The tools, each by its name, description and schema. */
export function typedTools({ tools }: Pick<ChatOptions, 'tools'>) {
  return tools.map(({ name, description, parameters }) => ({
    name: name.trim(),
    ...(description.trim() === '' ? {} : { description: description.trim() }),
    schema: JSON.parse(parameters) as object,
  }))
}

/** What an event adds to the text; nothing for an empty text. */
export function textPiece(text: unknown): Pick<AnswerPiece, 'text'> {
  return typeof text === 'string' && text !== '' ? { text } : {}
}

/** What an event adds to the reasoning. */
export function reasoningPiece(text: unknown): Pick<AnswerPiece, 'reasoning'> {
  return typeof text === 'string' && text !== '' ? { reasoning: text } : {}
}
