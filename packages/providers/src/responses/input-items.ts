import {
  type CallTurnPart,
  type FileTurnPart,
  type ImageTurnPart,
  type JsonObject,
  memberPath,
  type ReasoningTurnPart,
  type RefusalTurnPart,
  type ResultTurnPart,
  type TextTurnPart,
  type Turn,
  type TurnOrigin,
  type TurnPart,
} from '@sluice/core/provider'
import { isMeaningful } from '../chat-completions/extra-fields.ts'
import { pairResults } from '../conversation/pair-results.ts'
import { beginning, type ReasoningPosition, reasoningBlocks } from '../conversation/reasoning-blocks.ts'
import { ToolCallIds } from '../conversation/tool-call-ids.ts'
import type { ParameterAdjuster } from '../parameters/parameter-adjuster.ts'
import { reasoningFormat } from './response-events.ts'

/**
 * Returns a conversation as items of the Responses API, in order: encrypted reasoning goes back to where it was. What cannot be sent
 * is reported. Throws `GatewayError` (400) for parts that the API does not take.
 */
export function inputItems(turns: readonly Turn[], adjuster: ParameterAdjuster): readonly JsonObject[] {
  const writer = new ItemWriter(adjuster, pairResults(turns))
  for (const turn of turns) writer.add(turn)
  return writer.items
}

class ItemWriter {
  readonly items: JsonObject[] = []
  readonly #adjuster: ParameterAdjuster
  readonly #callsByResult: ReadonlyMap<ResultTurnPart, CallTurnPart>
  readonly #ids = new ToolCallIds('any')

  constructor(adjuster: ParameterAdjuster, callsByResult: ReadonlyMap<ResultTurnPart, CallTurnPart>) {
    this.#adjuster = adjuster
    this.#callsByResult = callsByResult
  }

  add(turn: Turn): void {
    this.#reportExtra(turn)
    for (const part of turn.parts) this.#reportExtra(part)
    if (turn.role === 'assistant') this.#assistant(turn)
    else if (turn.role === 'user' || turn.role === 'tool') this.#user(turn)
    else this.#message(turn.role, turn.parts)
  }

  /** Results come first: they have to follow their calls. */
  #user(turn: Turn): void {
    if (turn.name !== undefined) this.#adjuster.drop({ path: memberPath(turn, 'name') })
    const others: TurnPart[] = []
    for (const part of turn.parts) {
      if (part.kind === 'result') this.#result(part)
      else others.push(part)
    }
    this.#message('user', others)
  }

  #message(role: 'user' | 'system' | 'developer', parts: readonly TurnPart[]): void {
    const content = parts.flatMap(part => this.#content(part))
    if (content.length > 0) this.items.push({ type: 'message', role, content })
  }

  #result(result: ResultTurnPart): void {
    const { callId, parts, isError } = result
    for (const part of parts) this.#reportExtra(part)
    const content = parts.flatMap(part => this.#content(part))
    const [only] = content
    const isText = content.length === 1 && only?.type === 'input_text'
    const output = only === undefined ? '' : isText ? only.text! : content
    if (isError === true)
      this.#adjuster.drop({ path: result.path }, 'no result of a tool can be marked as failed')
    const call = this.#callsByResult.get(result)
    const type = call?.tool === 'custom' ? 'custom_tool_call_output' : 'function_call_output'
    this.items.push({ type, call_id: this.#ids.ofResult(call, callId), output })
  }

  /** Returns a part of a user, of the system or of a result. */
  #content(part: TurnPart): readonly JsonObject[] {
    switch (part.kind) {
      case 'text':
      case 'refusal':
        return [{ type: 'input_text', text: part.text }]
      case 'image':
        return [imageContent(part)]
      case 'file':
        return [fileContent(part)]
      case 'sealed':
      case 'reasoning':
        this.#adjuster.drop(part, "another vendor's")
        return []
      default:
        this.#adjuster.unsupportedPart(part.path, 'The model takes no content of this type here.')
        return []
    }
  }

  #assistant({ parts }: Turn): void {
    const writer = new AnswerWriter()
    let lastReasoning: ReasoningTurnPart | undefined
    for (const part of parts) {
      switch (part.kind) {
        case 'text':
          writer.addText(part)
          break
        case 'refusal':
          writer.addRefusal(part)
          break
        case 'call':
          writer.addCall(part, this.#ids.ofCall(part))
          break
        case 'reasoning':
          lastReasoning = part
          writer.think(this.#thoughts(part))
          break
        case 'sealed':
          this.#adjuster.drop(part, "another vendor's")
          break
        case 'opaque':
          this.#adjuster.drop(part, 'of a kind that this model does not take')
          break
        default:
          this.#adjuster.unsupportedPart(part.path, 'The model takes only text in messages of the assistant.')
      }
    }
    if (writer.end() && lastReasoning !== undefined) {
      const path = memberPath(lastReasoning, 'reasoning_details')
      this.#adjuster.drop({ path }, 'nothing was said after it')
    }
    for (const item of writer.items) this.items.push(item)
  }

  /** Returns what the vendor has encrypted, and reports the rest. */
  #thoughts(reasoning: ReasoningTurnPart): readonly Thought[] {
    const { details } = reasoning
    const { blocks, foreign, unsigned } = reasoningBlocks(details, reasoningFormat)
    const thoughts = blocks.flatMap(block => (block.kind === 'encrypted' ? [block] : []))
    const path = memberPath(reasoning, details.length > 0 ? 'reasoning_details' : 'reasoning_content')
    if (foreign) this.#adjuster.drop({ path }, "another vendor's")
    else if (unsigned || thoughts.length === 0) this.#adjuster.drop({ path }, 'not encrypted by this vendor')
    return thoughts
  }

  #reportExtra(origin: TurnOrigin): void {
    for (const [name, value] of Object.entries(origin.extra ?? {}))
      if (isMeaningful(name, value))
        this.#adjuster.drop({ path: memberPath(origin, name) }, 'not known to this vendor')
  }
}

/** Encrypted reasoning, and what preceded it in its answer. */
interface Thought {
  readonly data: string
  readonly id?: string
  readonly position?: ReasoningPosition
}

/** Writes an answer of the model as items again: reasoning, messages and calls. */
class AnswerWriter {
  readonly items: JsonObject[] = []
  /** Reasoning, in order, and how much of it was written. */
  readonly #thoughts: Thought[] = []
  #thought = 0
  /** The content of the message at the end, if there is one. */
  #open: JsonObject[] | undefined
  #texted = 0
  #called = 0

  think(thoughts: readonly Thought[]): void {
    for (const thought of thoughts) this.#thoughts.push(thought)
  }

  addText({ text }: TextTurnPart): void {
    let rest = text
    while (rest !== '') {
      this.#writeThoughts()
      const next = this.#thoughts[this.#thought]?.position
      const isWithin = next !== undefined && next.calls <= this.#called
      const piece = isWithin ? rest.slice(0, next.text - this.#texted) : rest
      this.#content({ type: 'output_text', text: piece })
      this.#texted += piece.length
      rest = rest.slice(piece.length)
    }
  }

  addRefusal({ text }: RefusalTurnPart): void {
    if (text === '') return
    this.#writeThoughts()
    this.#content({ type: 'refusal', refusal: text })
  }

  addCall({ tool, name, arguments: text }: CallTurnPart, id: string): void {
    // The caller may have cut the text: then its end is where reasoning was that followed it.
    this.#writeThoughts(Number.POSITIVE_INFINITY)
    this.#item(
      tool === 'custom'
        ? { type: 'custom_tool_call', call_id: id, name, input: text }
        : { type: 'function_call', call_id: id, name, arguments: text === '' ? '{}' : text },
    )
    this.#called++
  }

  /** Ends the answer. Returns whether reasoning was left out that nothing follows: the API refuses it there. */
  end(): boolean {
    const end = this.items.findLastIndex(({ type }) => type !== 'reasoning') + 1
    const wasLeftOut = this.#thought < this.#thoughts.length || end < this.items.length
    this.items.length = end
    return wasLeftOut
  }

  /** Writes the reasoning that was before what comes now. */
  #writeThoughts(texted = this.#texted): void {
    for (;;) {
      const thought = this.#thoughts[this.#thought]
      const { text, calls } = thought?.position ?? beginning
      if (thought === undefined || text > texted || calls > this.#called) return
      this.#thought++
      const { id, data } = thought
      this.#item({
        type: 'reasoning',
        ...(id !== undefined && { id }),
        summary: [],
        encrypted_content: data,
      })
    }
  }

  #item(item: JsonObject): void {
    this.#open = undefined
    this.items.push(item)
  }

  #content(part: JsonObject): void {
    if (this.#open === undefined) {
      const content: JsonObject[] = []
      this.#item({ type: 'message', role: 'assistant', content })
      this.#open = content
    }
    this.#open.push(part)
  }
}

function imageContent({ url, fileId, detail }: ImageTurnPart): JsonObject {
  return {
    type: 'input_image',
    ...(url !== undefined && { image_url: url }),
    ...(fileId !== undefined && { file_id: fileId }),
    ...(detail !== undefined && { detail }),
  }
}

function fileContent({ data, url, fileId, filename }: FileTurnPart): JsonObject {
  return {
    type: 'input_file',
    ...(fileId !== undefined && { file_id: fileId }),
    ...(filename !== undefined && { filename }),
    ...(data !== undefined && { file_data: data }),
    ...(url !== undefined && { file_url: url }),
  }
}
