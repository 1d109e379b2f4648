import type { JsonObject, JsonValue } from '../../protocol/chat.ts'

/** JSON may have line ends between its tokens. */
const lineEnd = /\r\n|\r|\n/g

/** Receives the events of a response while its output is written. */
export interface ResponseEvents {
  write(type: string, members: object): void
  /** `head`: the members that all deltas of a text have in common, as JSON text without braces. */
  writeDelta(type: string, head: string, delta: string, logprobs?: readonly JsonValue[]): void
}

/** Discards all events: for an answer that is no stream. */
export const noEvents: ResponseEvents = { write() {}, writeDelta() {} }

/** The end of every stream. */
export const endMark = 'data: [DONE]\n\n'

/** Writes events as text, and numbers them from 0. */
export class ResponseEventWriter implements ResponseEvents {
  #sequence = 0
  #text = ''

  /** The number of the next event. */
  get sequence(): number {
    return this.#sequence
  }

  write(type: string, members: object): void {
    const rest = JSON.stringify(members).slice(1)
    const comma = rest === '}' ? '' : ','
    this.#text += `event: ${type}\ndata: {"type":"${type}","sequence_number":${this.#sequence++}${comma}${rest}\n\n`
  }

  writeDelta(type: string, head: string, delta: string, logprobs?: readonly JsonValue[]): void {
    const tail = logprobs === undefined ? '' : `,"logprobs":${JSON.stringify(logprobs)}`
    this.#text += `event: ${type}\ndata: {"type":"${type}","sequence_number":${this.#sequence++},${head},"delta":${JSON.stringify(delta)}${tail}}\n\n`
  }

  /** Adds an event whose data already has the next number. */
  writeNumbered(type: string, data: string): void {
    this.#sequence++
    this.#text += `event: ${type}\ndata: ${data.replace(lineEnd, '\ndata: ')}\n\n`
  }

  /** Removes and returns the text since the last call. */
  take(): string {
    const text = this.#text
    this.#text = ''
    return text
  }

  /** Starts again from the first number: nothing that was written has been sent. */
  reset(): void {
    this.#sequence = 0
    this.#text = ''
  }
}

/** Returns the members of an event that name its item. */
export function itemHead(id: string, outputIndex: number): JsonObject {
  return { item_id: id, output_index: outputIndex }
}

/** Returns members as JSON text without braces. */
export function headText(members: JsonObject): string {
  return JSON.stringify(members).slice(1, -1)
}
