import type {
  AnswerDelta,
  AnswerIdentity,
  AnswerOrigin,
  AnswerStreamWriter,
  FinishedResponse,
} from '../../contracts/dialect.ts'
import type { NativeEvent } from '../../contracts/provider.ts'
import type { GatewayError } from '../../errors/errors.ts'
import type { CompletionUsage, JsonObject, Usage } from '../../protocol/chat.ts'
import { type AnsweredRequest, AnswerOutput } from './answer-output.ts'
import { errorEventMembers, failedResponseError, isCancelled } from './error.ts'
import { endMark, ResponseEventWriter } from './events.ts'
import { PassedStream } from './pass.ts'
import { type ResponseState, responseObject, responseSettings, runsInBackground } from './response-object.ts'

/** Writes a response as a stream of events. Calls of one answer stay open until its end, because vendors send their pieces in turns. */
export class ResponsesStreamWriter implements AnswerStreamWriter {
  readonly #identity: AnswerIdentity
  readonly #request: AnsweredRequest
  readonly #newId: () => string
  readonly #events = new ResponseEventWriter()
  readonly #output: AnswerOutput
  readonly #settings: JsonObject
  /** What the vendor's own events are sent through. */
  #passed: PassedStream | undefined
  #opening = ''
  /** The response, after `fail`. */
  #failed: JsonObject | undefined
  /** Whether the gateway has stored it before it begins. */
  readonly #isStored: boolean
  /** Writes the last event. */
  #writeEnd: ((stored: boolean) => void) | undefined

  constructor(identity: AnswerIdentity, request: AnsweredRequest, newId: () => string) {
    this.#identity = identity
    this.#request = request
    this.#newId = newId
    this.#output = new AnswerOutput(identity, request, newId, this.#events, true)
    this.#settings = responseSettings(request.body)
    this.#isStored = runsInBackground(request.body)
  }

  open(): string {
    const { service_tier } = this.#settings
    const membersAt = (status: ResponseState['status']) => {
      const response = this.#response({ status, output: [], stored: this.#isStored })
      return { response: { ...response, service_tier } }
    }
    const members = membersAt('in_progress')
    if (this.#isStored) {
      const queued = membersAt('queued')
      this.#events.write('response.created', queued)
      this.#events.write('response.queued', queued)
    } else this.#events.write('response.created', members)
    this.#events.write('response.in_progress', members)
    this.#opening = this.#events.take()
    return this.#opening
  }

  pass(events: readonly NativeEvent[], opened: boolean): string {
    this.#passed ??= new PassedStream({
      identity: this.#identity,
      body: this.#request.body,
      newId: this.#newId,
      events: this.#events,
      opened,
    })
    let text = ''
    // The vendor has sent no opening of its own.
    if (!opened && !this.#passed.hasBegun && !this.#passed.begin(events[0])) text = this.#opening
    for (const event of events) this.#passed.push(event)
    return text + this.#events.take()
  }

  push(deltas: readonly AnswerDelta[]): string {
    for (const delta of deltas) if (delta.index === 0) this.#output.add(delta)
    return this.#events.take()
  }

  end(deltas: readonly AnswerDelta[], origin: AnswerOrigin, usage: CompletionUsage): string {
    this.finish(deltas, origin, usage)
    return this.close(false)
  }

  /** Ends the output. Returns the response, which may be stored before `close` writes the last event. */
  finish(deltas: readonly AnswerDelta[], origin: AnswerOrigin, usage: Usage): FinishedResponse {
    if (this.#passed !== undefined) {
      const passed = this.#passed
      const finished = passed.finish()
      this.#writeEnd = stored => passed.writeEnd(stored)
      return finished
    }
    for (const delta of deltas) if (delta.index === 0) this.#output.add(delta)
    const end = this.#output.end()
    const { serviceTier } = origin
    const completedAt = this.#identity.now?.()
    const state = { ...end, output: this.#output.values, usage, serviceTier, completedAt }
    const response = (stored: boolean) => this.#response({ ...state, stored })
    this.#writeEnd = stored => this.#events.write(`response.${end.status}`, { response: response(stored) })
    return { response, items: this.#output.storedValues }
  }

  /** Returns the end of the stream, after `finish`. `stored`: whether the gateway has stored the response. */
  close(stored: boolean): string {
    this.#writeEnd?.(stored)
    return this.#events.take() + endMark
  }

  fail(error: GatewayError, usage?: Usage): string {
    if (this.#passed === undefined) this.#output.interrupt()
    else this.#passed.interrupt()
    const output = this.#passed?.values ?? this.#output.values
    const wasCancelled = isCancelled(error)
    if (!wasCancelled) this.#events.write('error', errorEventMembers(error))
    this.#failed = this.#response({
      status: wasCancelled ? 'cancelled' : 'failed',
      output,
      usage,
      error: wasCancelled ? undefined : { ...failedResponseError(error) },
      stored: this.#isStored,
    })
    this.#events.write('response.failed', { response: this.#failed })
    return this.#events.take() + endMark
  }

  failed(): JsonObject | undefined {
    return this.#failed
  }

  #response(state: ResponseState): JsonObject {
    return responseObject(this.#identity, this.#settings, state)
  }
}
