import type { AnswerDelta } from '../contracts/dialect.ts'
import type { ChunkDecision, HookChunk } from '../contracts/hook.ts'
import type { PartialMessage } from '../contracts/provider.ts'
import { isPromise } from '../primitives/is-promise.ts'
import type { ToolCallDelta } from '../protocol/chat.ts'

/** Returns the decision of a hook about a part of a text; `undefined`: nothing changes. */
export type ReadChunk = (chunk: HookChunk) => ChunkDecision | undefined | Promise<ChunkDecision | undefined>

/** Which text of a choice it is. */
interface TextKey {
  readonly kind: HookChunk['kind']
  /** The number of the call, of arguments. */
  readonly call: number | undefined
  /** Whether the arguments are the input of a custom tool. */
  readonly isCustom?: boolean
}

/** A text of a response that grows. */
interface Track extends TextKey {
  /** What the hook has not decided yet. */
  held: string
  /** The end of what it has decided, as it was before changes. */
  before: string
}

/** The number of the deprecated `function_call`, which has none. */
const legacyCall = -1

/**
 * Lets a hook change the texts of a response, wherever they are cut. It holds back the end of each text, until more has arrived or
 * the text has ended: with text of another kind, or with its choice. Reasoning is passed by: vendors sign it.
 */
export class ChunkFilter {
  readonly #holdBack: number
  readonly #read: ReadChunk
  /** The texts that have not ended, by choice, in the order in which they began. */
  readonly #tracks = new Map<number, Track[]>()

  constructor(holdBack: number, read: ReadChunk) {
    this.#holdBack = holdBack
    this.#read = read
  }

  /** Returns the deltas with what the hook decided of them. Rejects with what it throws. */
  async push(deltas: readonly AnswerDelta[]): Promise<readonly AnswerDelta[]> {
    const out: AnswerDelta[] = []
    for (const delta of deltas) await this.#add(delta, out)
    return out
  }

  async #add(given: AnswerDelta, out: AnswerDelta[]): Promise<void> {
    const { index, delta, finish } = given
    const { content, refusal, tool_calls: calls, function_call: call, ...rest } = delta
    const messages: PartialMessage[] = Object.keys(rest).length === 0 ? [] : [rest]
    if (content) await this.#text(index, 'text', content, messages)
    if (refusal) await this.#text(index, 'refusal', refusal, messages)
    for (const piece of (calls ?? []) as readonly ToolCallDelta[]) {
      await this.#endOthers(index, 'arguments', messages)
      const start = callStart(piece)
      if (start !== undefined) messages.push({ tool_calls: [start] })
      const text = piece.function?.arguments ?? piece.custom?.input
      if (text)
        await this.#grow(
          index,
          { kind: 'arguments', call: piece.index, isCustom: 'custom' in piece },
          text,
          messages,
        )
    }
    if (call !== undefined) {
      await this.#endOthers(index, 'arguments', messages)
      if (call.name !== undefined) messages.push({ function_call: { name: call.name, arguments: '' } })
      if (call.arguments)
        await this.#grow(index, { kind: 'arguments', call: legacyCall }, call.arguments, messages)
    }
    if (finish !== null) {
      for (const track of this.#tracks.get(index) ?? []) await this.#decide(index, track, true, messages)
      this.#tracks.delete(index)
    }
    emit(given, messages, out)
  }

  async #text(
    choice: number,
    kind: 'text' | 'refusal',
    text: string,
    messages: PartialMessage[],
  ): Promise<void> {
    await this.#endOthers(choice, kind, messages)
    await this.#grow(choice, { kind, call: undefined }, text, messages)
  }

  /** Ends the texts of a choice that are of another kind. Calls may be generated side by side. */
  async #endOthers(choice: number, kind: HookChunk['kind'], messages: PartialMessage[]): Promise<void> {
    const tracks = this.#tracks.get(choice)
    if (tracks === undefined || tracks.every(track => track.kind === kind)) return
    this.#tracks.set(
      choice,
      tracks.filter(track => track.kind === kind),
    )
    for (const track of tracks) if (track.kind !== kind) await this.#decide(choice, track, true, messages)
  }

  async #grow(choice: number, key: TextKey, text: string, messages: PartialMessage[]): Promise<void> {
    const tracks = this.#tracks.get(choice) ?? []
    let track = tracks.find(({ kind, call }) => kind === key.kind && call === key.call)
    if (track === undefined) {
      track = { ...key, held: '', before: '' }
      this.#tracks.set(choice, [...tracks, track])
    }
    track.held += text
    await this.#decide(choice, track, false, messages)
  }

  /** Asks the hook about a text, and adds what it has decided. */
  async #decide(choice: number, track: Track, isLast: boolean, messages: PartialMessage[]): Promise<void> {
    const { kind, call, held: text, before } = track
    const until = isLast ? text.length : cutBefore(text, text.length - this.#holdBack)
    if (until <= 0) return
    const numbered = call === undefined || call === legacyCall ? {} : { call }
    const reading = this.#read({ kind, choice, ...numbered, text, before, isLast })
    const decision = isPromise(reading) ? await reading : reading
    let written = ''
    let at = 0
    for (const replacement of decision?.replacements ?? []) {
      if (!isLast && replacement.start >= until) break
      written += text.slice(at, replacement.start) + replacement.text
      at = replacement.end
    }
    const next = Math.max(at, until)
    written += text.slice(at, next)
    track.held = text.slice(next)
    track.before = this.#holdBack === 0 ? '' : (before + text.slice(0, next)).slice(-this.#holdBack)
    if (written !== '') messages.push(messageOf(track, written))
  }
}

/** Returns `at`, or the position before it if it is within a surrogate pair. */
function cutBefore(text: string, at: number): number {
  if (at <= 0) return 0
  const unit = text.charCodeAt(at - 1)
  return at < text.length && unit >= 0xd800 && unit <= 0xdbff ? at - 1 : at
}

/** Returns the beginning of a call without its arguments; `undefined` for a piece that only has arguments. */
function callStart(piece: ToolCallDelta): ToolCallDelta | undefined {
  const { index, function: called, custom, ...rest } = piece
  const name = called?.name ?? custom?.name
  if (name === undefined && Object.keys(rest).length === 0) return undefined
  const named = name === undefined ? {} : { name }
  if (custom !== undefined) return { index, ...rest, custom: { ...named, input: '' } }
  return called === undefined ? { index, ...rest } : { index, ...rest, function: { ...named, arguments: '' } }
}

function messageOf({ kind, call, isCustom }: Track, text: string): PartialMessage {
  if (kind === 'text') return { content: text }
  if (kind === 'refusal') return { refusal: text }
  if (call === legacyCall) return { function_call: { arguments: text } }
  return {
    tool_calls: [
      { index: call!, ...(isCustom ? { custom: { input: text } } : { function: { arguments: text } }) },
    ],
  }
}

/** Adds a delta for each message. The finish reason has one of its own, after all text. Log probabilities would show what was changed. */
function emit(given: AnswerDelta, messages: readonly PartialMessage[], out: AnswerDelta[]): void {
  const { index, finish, fields } = given
  let first = given.first
  for (const delta of messages) {
    out.push({ index, first, delta, logprobs: null, finish: null })
    first = false
  }
  if (finish !== null || first || fields !== undefined) {
    out.push({ index, first, delta: {}, logprobs: null, finish, ...(fields !== undefined && { fields }) })
  }
}
