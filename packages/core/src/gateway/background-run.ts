import type { Timer } from '../clock/clock.ts'
import type {
  DialectBackground,
  FinishedResponse,
  GenerateDialect,
  StoredRun,
  StoredTurn,
} from '../contracts/dialect.ts'
import type { GatewayResponse } from '../contracts/host.ts'
import { LifeEnded } from '../errors/abort-reasons.ts'
import { GatewayError } from '../errors/errors.ts'
import { KeepAliveStream, keepAliveComment } from '../http/keep-alive-stream.ts'
import { respondStream, respondText } from '../http/respond.ts'
import type { JsonObject } from '../protocol/chat.ts'
import { sleepUntil } from '../upstream/attempts/sleep-until.ts'
import type {
  CallDependencies,
  ChunkSource,
  UpstreamReply,
  UpstreamResult,
} from '../upstream/call-context.ts'
import type { CompleteReply } from '../upstream/complete-reply.ts'
import { type AnsweredRequest, AnswerStream } from './answer-stream.ts'
import type { BackgroundEntries, RunKey, RunLease } from './background-entries.ts'
import type { RunningResponse } from './background-runs.ts'
import { EventLog } from './event-log.ts'
import { toFailure } from './failure.ts'
import { type EventSource, FollowedEvents, type StreamEnds } from './followed-events.ts'
import type { ResolvedOptions } from './resolve.ts'
import { ownerOf, type ResponseState } from './response-state.ts'

/** How often a process reports that it is alive, stores events and looks for a mark of another process, in milliseconds. */
const heartbeatMs = 2_000

/** How long after its last report a process is taken to be alive, in milliseconds. */
const leaseMs = 30_000

/** How often the end of a response is stored until that succeeds, with `storeRetryMs` between. */
const maxStoreAttempts = 4
const storeRetryMs = 500

/** Calls the upstream. */
type Call = () => Promise<UpstreamResult<UpstreamReply>>

/** Writes, stores and settles a complete response. */
type Complete = (result: UpstreamResult<CompleteReply>, answered: AnsweredRequest) => unknown

/**
 * Stores a response that waits to be run, begins to run it, and responds with it, or with its events. From then on it lives on
 * without its caller, until it ends, is cancelled, or the gateway closes.
 *
 * Rejects with `GatewayError` 429 or 503 if too many run; 503 if it cannot be stored, 400 if it is too long for that.
 */
export async function runInBackground<Host>(
  answered: AnsweredRequest,
  call: (dependencies: CallDependencies) => Promise<UpstreamResult<UpstreamReply>>,
  complete: Complete,
  options: ResolvedOptions<Host>,
): Promise<GatewayResponse> {
  const { context, accounting, dialect } = answered
  const { lifetime, requestId } = context
  const { maxMs } = options.background!
  const owner = ownerOf(context.principal!)
  if (lifetime.ended !== undefined) throw new LifeEnded(lifetime.ended)
  const counted = options.backgroundRuns.start(owner, options.background!, options.random)
  let run: BackgroundRun
  try {
    const input = dialect.state!.inputOf(context.draft!, answered.newId)
    run = new BackgroundRun(answered, owner, input, options.responses!)
    lifetime.detach()
    await run.begin()
  } catch (error) {
    counted()
    throw error
  }
  options.backgroundRuns.add(run)
  const fixedTimeouts = { totalMs: maxMs, responseMs: maxMs }
  const timeouts = { ...options.call.timeouts, ...fixedTimeouts }
  const calling = () => call({ ...options.call, timeouts, fixedTimeouts })
  void run.start(calling, complete, () => {
    counted()
    options.backgroundRuns.delete(run)
  })
  const { events: source } = run
  if (source === undefined) {
    const text = JSON.stringify(run.queued)
    accounting.accepted(text)
    return respondText(200, text, requestId, accounting.responseHeaders)
  }
  const ends = streamEndsOf(dialect)
  const events = new FollowedEvents(source, ends, 0, () => {})
  const { keepAliveMs } = options.stream
  const body = new KeepAliveStream(events, keepAliveComment, keepAliveMs, options.clock)
  return respondStream(body, requestId, accounting.responseHeaders)
}

/** Returns how the streams of a dialect end. */
export function streamEndsOf(dialect: GenerateDialect): StreamEnds {
  return { endMark: dialect.state?.background?.endMark ?? '', error: error => dialect.streamError(error) }
}

/** A response that runs in the background in this process. Its request is settled as any other. */
class BackgroundRun implements RunningResponse {
  readonly key: RunKey
  /** The response as it was accepted. */
  readonly queued: JsonObject
  readonly #log: EventLog | undefined
  readonly #answered: AnsweredRequest
  readonly #background: DialectBackground
  readonly #state: ResponseState
  readonly events: EventSource | undefined
  readonly #source: AnswerStream | undefined
  #turn: StoredTurn
  /** The parts of its events that are known to be stored. */
  #storedParts: readonly number[] = [0]
  /** Whether its end is being stored: then it is too late to cancel it. */
  #isEnding = false
  #isDeleted = false
  #timer: Timer | undefined
  #isOver = false
  #done: Promise<void> = Promise.resolve()

  /** Throws what the dialect throws. */
  constructor(answered: AnsweredRequest, owner: string, input: readonly JsonObject[], state: ResponseState) {
    const { dialect, identity, request } = answered
    this.#answered = { ...answered, store: finished => this.#finish(finished), inBackground: true }
    this.#background = dialect.state!.background!
    this.#state = state
    this.queued = this.#background.queue(identity, request)
    this.key = { owner, id: identity.id }
    const previousId = this.queued.previous_response_id
    this.#turn = {
      id: identity.id,
      previousId: typeof previousId === 'string' ? previousId : null,
      input,
      output: [],
      response: this.queued,
      background: { state: 'running', stream: request.stream, parts: [0] },
    }
    if (request.stream) {
      this.#source = new AnswerStream(this.#answered)
      this.#log = new EventLog((part, text) => state.entries.putPart(this.key, part, text))
      this.events = eventsOf(this.#log, this.key, state.entries)
    }
  }

  /** The response as it is now. */
  get turn(): StoredTurn {
    return this.#turn
  }

  /** Stores the response before its caller gets it. Rejects with `GatewayError` 400 or 503. */
  async begin(): Promise<void> {
    const { key } = this
    const log = this.#log
    const isLeased = await this.#state.entries.putLease(key, this.#lease(log?.parts ?? []))
    const isStored = isLeased ? await this.#state.tryPut(key.owner, this.#turn) : false
    if (isStored === 'too_large') {
      throw new GatewayError('invalid_request', {
        message: 'The request is too long to be run in the background: it could not be stored.',
        param: 'background',
      })
    }
    if (!isStored) {
      throw new GatewayError('response_store_unavailable', {
        message: 'Responses in the background cannot be stored right now. Please try again later.',
      })
    }
    this.#turn = { ...this.#turn, response: this.#background.start(this.queued) }
  }

  /** Runs to the end. `onEnd` is called once its end is stored. It never rejects. */
  start(call: Call, complete: Complete, onEnd: () => void): Promise<void> {
    // A store that throws is reported by its client.
    this.#done = this.#run(call, complete).then(onEnd, onEnd)
    this.#answered.accounting.closing(this.#done)
    return this.#done
  }

  /** Cancels it, unless it has ended. Resolves when its end is stored. */
  async cancel(): Promise<void> {
    this.#abort()
    await this.#done
  }

  /** Ends it without storing anything. Resolves when nothing more will be stored. */
  async discard(): Promise<void> {
    this.#isDeleted = true
    this.#abort()
    await this.#done
  }

  #abort(): void {
    if (!this.#isEnding) this.#answered.context.lifetime.end('client_disconnected')
  }

  async #run(call: Call, complete: Complete): Promise<void> {
    const { context, accounting, identity } = this.#answered
    this.#beatLater()
    try {
      if (this.#source !== undefined) await this.#stream(this.#source, call)
      else await complete((await call()) as UpstreamResult<CompleteReply>, this.#answered)
    } catch (error) {
      const { outcome, clientError } = toFailure(error, identity.model, context.lifetime)
      if (this.#source === undefined) {
        accounting.bodySent(JSON.stringify(this.#background.fail(this.#turn.response, clientError)))
      }
      accounting.settled(outcome, 200, error)
      await this.#fail(clientError)
    }
    this.#isOver = true
    this.#timer?.cancel()
    this.#log?.end()
    await this.#log?.flush()
    if (this.#isDeleted) await this.#state.entries.deleteAll(this.key, this.#log?.parts.length ?? 0)
    else await this.#state.entries.deleteLease(this.key)
  }

  /** Reads the response to its end, also where nobody follows its events. */
  async #stream(source: AnswerStream, call: Call): Promise<void> {
    const { context } = this.#answered
    const log = this.#log!
    source.start(call() as Promise<UpstreamResult<ChunkSource>>)
    let isStored = false
    for (let text = await source.next(); text !== undefined; text = await source.next()) {
      if (source.failed !== undefined) {
        await this.#end('failed', source.failed, [])
        isStored = true
      }
      log.append(text)
      while (log.isFull && context.lifetime.ended === undefined) await this.#catchUp(log)
    }
    if (!isStored && this.#turn.background?.state === 'running')
      await this.#fail(new GatewayError('server_error'))
  }

  /** Waits until the store has taken events. */
  async #catchUp(log: EventLog): Promise<void> {
    if (await log.flush()) return
    const { lifetime, clock } = this.#answered.context
    await sleepUntil(clock.monotonic() + storeRetryMs, lifetime, clock).catch(() => {})
  }

  /** Stores a complete response before its end is sent. Rejects if that fails. */
  async #finish(finished: FinishedResponse): Promise<boolean> {
    if (await this.#end('ended', finished.response(true), finished.items)) return true
    throw new Error('The response could not be stored.')
  }

  /** Stores a response that failed where no stream says so. */
  async #fail(error: GatewayError): Promise<void> {
    await this.#end('failed', this.#background.fail(this.#turn.response, error), [])
    this.#log?.append(this.#answered.dialect.streamError(error))
  }

  /** Stores the end of the response. Resolves to whether it is stored. */
  async #end(
    state: StoredRun['state'],
    response: JsonObject,
    output: readonly JsonObject[],
  ): Promise<boolean> {
    this.#isEnding = true
    const parts = this.#log?.parts ?? []
    await this.#log?.flush()
    const stream = this.#log !== undefined
    const turn: StoredTurn = { ...this.#turn, output, response, background: { state, stream, parts } }
    const isStored = this.#isDeleted || (await this.#put(turn))
    if (isStored) this.#turn = turn
    return isStored
  }

  async #put(turn: StoredTurn): Promise<boolean> {
    const { clock } = this.#answered.context
    for (let attempt = 1; ; attempt++) {
      const isStored = await this.#state.tryPut(this.key.owner, turn)
      if (isStored === true) break
      if (isStored === 'too_large' || attempt === maxStoreAttempts || this.#isDeleted) return false
      await new Promise<void>(resolve => {
        clock.setTimer(storeRetryMs, resolve)
      })
    }
    // Another process may have deleted it meanwhile: its mark is older than what it deleted.
    const stop = await this.#state.entries.stop(this.key)
    if (this.#isDeleted || (stop.ok && stop.value === 'delete')) {
      this.#isDeleted = true
      await this.#state.remove(this.key)
    }
    return true
  }

  #beatLater(): void {
    const { clock } = this.#answered.context
    this.#timer = clock.setTimer(heartbeatMs, () => void this.#beat().catch(() => this.#beatLater())).unref()
  }

  async #beat(): Promise<void> {
    const { entries } = this.#state
    const [stop, lease] = await Promise.all([entries.stop(this.key), entries.lease(this.key)])
    // Without its lease it was deleted with all that its principal has.
    const isGone = lease.ok && lease.value === undefined
    if (isGone || (stop.ok && stop.value === 'delete')) {
      this.#isDeleted = true
      this.#abort()
      return
    }
    if (stop.ok && stop.value === 'cancel') this.#abort()
    const parts = this.#log?.parts ?? []
    if ((await this.#log?.flush()) !== false) this.#storedParts = parts
    if (this.#isOver) return
    await entries.putLease(this.key, this.#lease(this.#storedParts))
    if (!this.#isOver) this.#beatLater()
  }

  #lease(parts: readonly number[]): RunLease {
    return { aliveUntil: this.#answered.context.clock.now() + leaseMs, parts }
  }
}

/** Returns the events of a response that runs here. Those that are stored are not in its log any longer. */
function eventsOf(log: EventLog, key: RunKey, entries: BackgroundEntries): EventSource {
  return {
    read: part => log.part(part) ?? entries.part(key, part).then(each => (each.ok ? each.value : undefined)),
    get run() {
      return { parts: log.parts, ended: log.ended }
    },
    watch: () => {
      const changed = log.ended ? Promise.resolve() : log.changed()
      return () => changed
    },
  }
}
