import type { BodyRecorder } from '../contracts/body-recorder.ts'
import type { Draft } from '../contracts/draft.ts'
import type { RequestOutcome } from '../contracts/events.ts'
import type { Principal, PrincipalId } from '../contracts/principal.ts'
import { utf8Length } from '../primitives/utf8-length.ts'
import type { RequestContext } from './request-context.ts'

/** Captures the bodies of a request for a recorder. */
export class BodyCapture {
  readonly #recorder: BodyRecorder
  readonly #draft: Draft
  readonly #principal: PrincipalId
  readonly #path: string
  readonly #pieces: string[] = []
  #bytes = 0
  #truncated = false
  /** The text that was sent before the response was ready. */
  #accepted: string | undefined

  constructor(recorder: BodyRecorder, draft: Draft, { id, source }: Principal, path: string) {
    this.#recorder = recorder
    this.#draft = draft
    this.#principal = source === undefined ? { id } : { id, source }
    this.#path = path
  }

  /** Appends a piece of the response, up to the maximum size. */
  add(text: string): void {
    if (this.#truncated || text === '') return
    const left = this.#recorder.maxBytes - this.#bytes
    const bytes = utf8Length(text)
    this.#bytes += bytes
    this.#truncated = bytes > left
    this.#pieces.push(this.#truncated ? prefixOf(text, left) : text)
  }

  /** Takes what was sent of a response that goes on in the background. */
  accepted(text: string): void {
    this.#accepted = text
  }

  /** Passes the bodies to the recorder. Called once. */
  ended({ requestId, receivedAt, stream }: RequestContext, outcome: RequestOutcome, status: number): void {
    if (this.#pieces.length === 0 && this.#accepted !== undefined) this.add(this.#accepted)
    const { operation, dialect, model } = this.#draft
    const request = this.#request()
    this.#recorder.record({
      requestId,
      at: receivedAt,
      principal: this.#principal,
      operation,
      dialect,
      path: this.#path,
      model,
      stream,
      status,
      outcome,
      request,
      response: this.#pieces.length === 0 ? undefined : this.#pieces.join(''),
      requestOmitted: request === undefined,
      responseTruncated: this.#truncated,
    })
  }

  /** Returns the text of the request; `undefined` if it is too large. */
  #request(): string | undefined {
    const { maxBytes } = this.#recorder
    const { body, text = JSON.stringify(body) } = this.#draft
    // A text has at least as many bytes as UTF-16 units.
    return text.length > maxBytes || utf8Length(text) > maxBytes ? undefined : text
  }
}

/** Returns the beginning of a text in at most `maxBytes` UTF-8 bytes. A character is not cut. */
function prefixOf(text: string, maxBytes: number): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(maxBytes))
  return text.slice(0, read)
}
