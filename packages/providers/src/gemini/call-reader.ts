import type { JsonObject, PartialToolCall } from '@sluice/core/provider'
import { type Fields, isFields, textOf } from '../wire/json-value.ts'
import { PartialArguments } from './partial-arguments.ts'

/** A call of which there are more pieces to come. */
interface OpenCall {
  readonly name: string
  readonly id: string | undefined
  readonly partial: PartialArguments
  args: unknown
  signature: string | undefined
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] }

/**
 * Reads the function calls of one candidate. Each is a new one, whatever its name and wherever it stands; they
 * are counted over all chunks. Gemini gives a call whole; Vertex AI may give it in pieces, which are kept until
 * the last one is there: a piece without a name, or anything else in its place.
 */
export class CallReader {
  #open: OpenCall | undefined
  #count = 0
  readonly #ids = new Set<string>()

  /** Adds what a `functionCall` says to `calls`. Throws `UpstreamError` of kind `garbled` for pieces that make no sense. */
  read(call: Fields, signature: string | undefined, calls: PartialToolCall[]): void {
    const name = textOf(call.name)
    if (name !== undefined) {
      this.close(calls)
      this.#open = {
        name,
        id: textOf(call.id),
        partial: new PartialArguments(),
        args: undefined,
        signature,
      }
    }
    const open = this.#open
    if (open === undefined) return
    open.partial.add(call.partialArgs)
    open.args = call.args ?? open.args
    open.signature ??= signature
    if (call.willContinue !== true) this.close(calls)
  }

  /** Adds the call that came in pieces, if there is one: the mark of its end may be missing. */
  close(calls: PartialToolCall[]): void {
    const open = this.#open
    if (open === undefined) return
    this.#open = undefined
    const text = open.args === undefined ? open.partial.text() : argumentsText(open.args)
    calls.push(this.#whole(open.name, open.id, text, open.signature))
  }

  #whole(name: string, id: string | undefined, text: string, signature: string | undefined): PartialToolCall {
    const call: Writable<PartialToolCall> = {
      index: this.#count++,
      type: 'function',
      function: { name, arguments: text },
    }
    // An id that was there before would make one call of two.
    if (id !== undefined && !this.#ids.has(id)) {
      this.#ids.add(id)
      call.id = id
    }
    if (signature !== undefined) call.extra_content = signed(signature)
    return call
  }
}

function signed(signature: string): JsonObject {
  return { google: { thought_signature: signature } }
}

function argumentsText(args: unknown): string {
  if (isFields(args)) return JSON.stringify(args)
  return textOf(args) ?? '{}'
}
