import { type Transport, UpstreamError } from '@sluice/core'
import { type Distribution, sampler } from './distribution.ts'
import type { CallEnd, CallRecord, History } from './history.ts'
import { markerIn } from './prompt-marker.ts'
import type { Scheduler } from './scheduler.ts'
import type { SimulatedProcess } from './simulated-process.ts'
import { rangeAt, type TimeRange } from './time-range.ts'
import {
  completeBody,
  errorBody,
  isStreamed,
  type ModelledAnswer,
  streamedParts,
  type WireFormat,
  wireFormatOf,
} from './wire-format.ts'

/**
 * How a call fails: with an HTTP status; `unreachable`: without a connection; `timeout`: nothing ever arrives; `cut`: the
 * connection is closed in the middle of the answer.
 */
export type FailureKind = number | 'unreachable' | 'timeout' | 'cut'

/** A period in which calls of an upstream fail. */
export interface Outage extends TimeRange {
  /** Default 503. */
  readonly kind?: FailureKind
  /** Share of the calls that fail, above 0, at most 1. Default 1. */
  readonly share?: number
}

/** The quota of an account at an upstream. A call beyond it gets a 429 with `retry-after`. */
export interface Quota {
  readonly requestsPerMinute?: number
  /** Prompt and completion together. Checked before a call by its prompt, and charged with all its tokens. */
  readonly tokensPerMinute?: number
  /** Calls at the same time. */
  readonly concurrent?: number
}

/** A model of an upstream. */
export interface UpstreamModel {
  /** From the call to the first token, in milliseconds. Default: lognormal, median 400, p99 2,000. */
  readonly firstTokenMs?: Distribution
  /** Tokens per second of an answer, after its first. Default 80. */
  readonly tokensPerSecond?: Distribution
  /** In how many reads a streamed answer arrives. Default 4. */
  readonly streamReads?: number
  /** Shares of all calls that fail. Default: none. */
  readonly failures?: readonly { readonly kind: FailureKind; readonly share: number }[]
  readonly outages?: readonly Outage[]
  readonly quota?: Quota
  /** Latency of the network, there and back, in milliseconds. Default 20. */
  readonly networkMs?: Distribution
}

/** One upstream, as all gateways of a simulation call it. */
export class SimulatedUpstream {
  readonly #name: string
  readonly #model: UpstreamModel
  readonly #scheduler: Scheduler
  readonly #history: History
  readonly #random: () => number
  readonly #firstTokenMs: () => number
  readonly #tokensPerSecond: () => number
  readonly #networkMs: () => number
  #concurrent = 0
  #minute = -1
  #requests = 0
  #tokens = 0

  constructor(
    name: string,
    model: UpstreamModel,
    random: () => number,
    scheduler: Scheduler,
    history: History,
  ) {
    this.#name = name
    this.#model = model
    this.#random = random
    this.#scheduler = scheduler
    this.#history = history
    const { firstTokenMs = { lognormal: { median: 400, p99: 2_000 } }, tokensPerSecond = 80 } = model
    this.#firstTokenMs = sampler(firstTokenMs, random)
    this.#tokensPerSecond = sampler(tokensPerSecond, random)
    this.#networkMs = sampler(model.networkMs ?? 20, random)
  }

  /** Returns the transport of the process of a gateway to it. */
  transport(process: SimulatedProcess): Transport {
    return (request, signal) => {
      const format = wireFormatOf(request.url)
      if (format === undefined) {
        const error = new Error(
          `The simulation cannot answer for the provider '${this.#name}': it knows no API at ${request.url.split('?')[0]}.`,
        )
        this.#history.fail(error)
        return Promise.reject(error)
      }
      const body = typeof request.body === 'string' ? request.body : new TextDecoder().decode(request.body)
      return new Promise((resolve, reject) => {
        const call = new ModelledCall(
          this.#scheduler,
          this.#history,
          process,
          this.#begin(process.gateway, format, request.url, body),
        )
        call.start(signal, resolve, reject)
      })
    }
  }

  #begin(gateway: number, format: WireFormat, url: string, body: string): CallPlan {
    const { now } = this.#scheduler
    const marker = markerIn(body)
    const promptTokens = marker?.promptTokens ?? Math.ceil(body.length / 4)
    const bound = tokenBound(body) ?? 4_096
    const completionTokens = Math.max(1, Math.min(marker?.completionTokens ?? 200, bound))
    const model = modelOf(format, url, body)
    // Drawn for every call, whatever becomes of it: a failure does not shift the numbers of later calls.
    const [networkMs, firstTokenMs, perSecond] = [
      this.#networkMs(),
      this.#firstTokenMs(),
      this.#tokensPerSecond(),
    ]
    const failure = this.#failure(now) ?? this.#overQuota(now, promptTokens, completionTokens)
    this.#concurrent++
    return {
      record: {
        type: 'call',
        at: now,
        gateway,
        provider: this.#name,
        model,
        request: marker?.request ?? -1,
        attempt: marker?.attempt ?? 0,
      },
      format,
      streamed: isStreamed(format, url, body),
      answer: {
        model,
        promptTokens,
        completionTokens,
        created: Math.floor(this.#scheduler.clock.now() / 1_000),
      },
      failure,
      networkMs,
      firstTokenMs,
      tokenMs: 1_000 / Math.max(perSecond, 0.001),
      streamReads: this.#model.streamReads ?? 4,
      ended: () => {
        this.#concurrent--
      },
    }
  }

  #failure(now: number): Failure | undefined {
    const { outages, failures = [] } = this.#model
    const drawn = this.#random()
    const outage = rangeAt(outages, now)
    if (outage !== undefined && drawn < (outage.share ?? 1)) return { kind: outage.kind ?? 503 }
    let below = 0
    for (const { kind, share } of failures) {
      below += share
      if (drawn < below) return { kind }
    }
    return undefined
  }

  #overQuota(now: number, promptTokens: number, completionTokens: number): Failure | undefined {
    const { quota } = this.#model
    if (quota === undefined) return undefined
    const minute = Math.floor(now / 60_000)
    if (minute !== this.#minute) {
      this.#minute = minute
      this.#requests = 0
      this.#tokens = 0
    }
    const { requestsPerMinute = Number.POSITIVE_INFINITY, tokensPerMinute = Number.POSITIVE_INFINITY } = quota
    const isOver =
      this.#requests >= requestsPerMinute ||
      this.#tokens + promptTokens > tokensPerMinute ||
      this.#concurrent >= (quota.concurrent ?? Number.POSITIVE_INFINITY)
    if (isOver) {
      const isFull = this.#concurrent >= (quota.concurrent ?? Number.POSITIVE_INFINITY)
      return { kind: 429, retryAfter: isFull ? 1 : Math.ceil(((minute + 1) * 60_000 - now) / 1_000) }
    }
    this.#requests++
    this.#tokens += promptTokens + completionTokens
    return undefined
  }
}

interface Failure {
  readonly kind: FailureKind
  /** Seconds. */
  readonly retryAfter?: number
}

interface CallPlan {
  readonly record: Omit<CallRecord, 'ms' | 'end' | 'status' | 'promptTokens' | 'completionTokens'>
  readonly format: WireFormat
  readonly streamed: boolean
  readonly answer: ModelledAnswer
  readonly failure: Failure | undefined
  readonly networkMs: number
  readonly firstTokenMs: number
  readonly tokenMs: number
  readonly streamReads: number
  readonly ended: () => void
}

type Response = Awaited<ReturnType<Transport>>

/** One call of an upstream, from its request to the end of its answer. */
class ModelledCall {
  readonly #scheduler: Scheduler
  readonly #history: History
  readonly #process: SimulatedProcess
  readonly #plan: CallPlan
  #over = false
  #signal!: AbortSignal
  #body: ModelledBody | undefined
  #reject: ((error: unknown) => void) | undefined
  readonly #cancel = () => {
    this.#end('cancelled', this.#status)
    const { reason } = this.#signal
    this.#reject?.(reason)
    this.#body?.fail(reason)
  }
  #status = 0
  /** The connection of a process that crashed is closed: nobody is left to notify. */
  readonly #dropped = () => this.#end('cancelled', this.#status)

  constructor(scheduler: Scheduler, history: History, process: SimulatedProcess, plan: CallPlan) {
    this.#scheduler = scheduler
    this.#history = history
    this.#process = process
    this.#plan = plan
    const { record } = plan
    history.callBegan(record)
  }

  start(signal: AbortSignal, resolve: (response: Response) => void, reject: (error: unknown) => void): void {
    this.#signal = signal
    this.#reject = reject
    if (signal.aborted) {
      this.#cancel()
      return
    }
    signal.addEventListener('abort', this.#cancel, { once: true })
    this.#process.onCrash(this.#dropped)
    const { failure, networkMs, firstTokenMs, tokenMs, answer, streamed, format, streamReads } = this.#plan
    const kind = failure?.kind
    if (kind === 'timeout') return
    const after = (ms: number, run: () => void) => this.#scheduler.after(ms, () => this.#over || run())
    if (kind === 'unreachable') {
      after(networkMs, () => {
        this.#end('unreachable', 0)
        reject(new UpstreamError('The modelled upstream could not be reached.', { kind: 'unreachable' }))
      })
      return
    }
    if (typeof kind === 'number') {
      after(networkMs, () => {
        this.#status = kind
        const body = new ModelledBody(() => {})
        body.push(Buffer.from(errorBody(format, kind)))
        body.end()
        this.#end('refused', kind)
        resolve(responseOf(kind, body, 'application/json', failure!.retryAfter))
      })
      return
    }
    const body = new ModelledBody(() => this.#stopped())
    this.#body = body
    const head = (type: string) => {
      this.#status = 200
      this.#reject = undefined
      this.#history.callAnswered(this.#plan.record, this.#scheduler.now)
      resolve(responseOf(200, body, type, undefined))
    }
    const cut = () => {
      this.#end('cut', 200)
      body.fail(
        new UpstreamError('The modelled upstream closed the connection during its response.', {
          kind: 'truncated',
        }),
      )
    }
    const firstMs = networkMs + firstTokenMs
    if (!streamed) {
      after(firstMs + tokenMs * answer.completionTokens, () => {
        head('application/json')
        const bytes = Buffer.from(completeBody(format, answer))
        if (kind === 'cut') {
          body.push(bytes.subarray(0, bytes.length >> 1))
          cut()
          return
        }
        body.push(bytes)
        this.#complete()
        body.end()
      })
      return
    }
    const parts = streamedParts(format, answer, streamReads)
    const partMs = (tokenMs * answer.completionTokens) / parts.length
    const send = (index: number) => {
      if (index === 0) head('text/event-stream')
      if (kind === 'cut' && index === parts.length >> 1) {
        cut()
        return
      }
      body.push(Buffer.from(parts[index]!))
      if (index + 1 < parts.length) after(partMs, () => send(index + 1))
      else {
        this.#complete()
        body.end()
      }
    }
    after(firstMs + (parts.length === 1 ? partMs : 0), () => send(0))
  }

  #complete(): void {
    this.#end('completed', 200)
  }

  /** The reader has stopped: before the end of the answer that cancels the call. */
  #stopped(): void {
    if (!this.#over) this.#end('cancelled', this.#status)
  }

  #end(end: CallEnd, status: number): void {
    if (this.#over) return
    this.#over = true
    this.#signal.removeEventListener('abort', this.#cancel)
    this.#process.offCrash(this.#dropped)
    const { record, answer, ended } = this.#plan
    const { at, gateway, provider, model, request, attempt } = record
    ended()
    const isAnswered = end === 'completed'
    // Without a spread, which takes several times as long where members follow it.
    this.#history.record({
      type: 'call',
      at,
      gateway,
      provider,
      model,
      request,
      attempt,
      ms: this.#scheduler.now - at,
      end,
      status,
      promptTokens: isAnswered ? answer.promptTokens : 0,
      completionTokens: isAnswered ? answer.completionTokens : 0,
    })
  }
}

function responseOf(
  status: number,
  body: ModelledBody,
  type: string,
  retryAfter: number | undefined,
): Response {
  const headers = {
    get: (name: string) => {
      const lower = name.toLowerCase()
      if (lower === 'content-type') return type
      return lower === 'retry-after' && retryAfter !== undefined ? String(retryAfter) : null
    },
  }
  return { status, headers, body }
}

const tokenBounds = [
  '"max_tokens":',
  '"max_completion_tokens":',
  '"max_output_tokens":',
  '"maxOutputTokens":',
]

/** Returns the bound of the completion that a request has. To search for four texts is faster than for one pattern. */
function tokenBound(body: string): number | undefined {
  for (const name of tokenBounds) {
    const at = body.indexOf(name) + name.length
    const bound = at < name.length ? Number.NaN : Number.parseInt(body.slice(at, at + 20), 10)
    if (bound >= 0) return bound
  }
  return undefined
}

function modelOf(format: WireFormat, url: string, body: string): string {
  const found = format === 'gemini' ? /\/models\/([^/:]+):/.exec(url) : /"model":\s*"([^"\\]*)"/.exec(body)
  return decodeURIComponent(found?.[1] ?? 'unknown')
}

/** The body of an answer: what has been pushed and not read. */
class ModelledBody implements AsyncIterableIterator<Uint8Array, undefined> {
  readonly #stopped: () => void
  #parts: Uint8Array[] = []
  #ended = false
  #failure: { readonly error: unknown } | undefined
  #waiting:
    | { resolve(result: IteratorResult<Uint8Array, undefined>): void; reject(error: unknown): void }
    | undefined

  constructor(stopped: () => void) {
    this.#stopped = stopped
  }

  push(bytes: Uint8Array): void {
    const waiting = this.#waiting
    this.#waiting = undefined
    if (waiting === undefined) this.#parts.push(bytes)
    else waiting.resolve({ done: false, value: bytes })
  }

  end(): void {
    this.#ended = true
    this.#waiting?.resolve({ done: true, value: undefined })
    this.#waiting = undefined
  }

  fail(error: unknown): void {
    this.#failure = { error }
    this.#waiting?.reject(error)
    this.#waiting = undefined
  }

  next(): Promise<IteratorResult<Uint8Array, undefined>> {
    const value = this.#parts.shift()
    if (value !== undefined) return Promise.resolve({ done: false, value })
    if (this.#failure !== undefined) return Promise.reject(this.#failure.error)
    if (this.#ended) return Promise.resolve({ done: true, value: undefined })
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject }
    })
  }

  return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.#parts = []
    this.#ended = true
    this.#stopped()
    return Promise.resolve({ done: true, value: undefined })
  }

  [Symbol.asyncIterator](): this {
    return this
  }
}
