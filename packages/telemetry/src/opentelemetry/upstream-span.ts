import {
  type Attributes,
  type Context,
  propagation,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import type { AttemptEnd, AttemptSpan, UpstreamCall } from '@sluice/core'
import { requestAttributes, usageAttributes } from './call-attributes.ts'
import { inputContent } from './content.ts'
import { failureType } from './error-type.ts'
import type { Instruments } from './instruments.ts'
import type { Labels } from './labels.ts'
import { chat, attributes as names, ownAttributes, providerName } from './names.ts'

/** The span and the measures of one upstream call. */
export class UpstreamSpan implements AttemptSpan {
  /** The context of the span, for the upstream. */
  readonly headers: Readonly<Record<string, string>>
  readonly #world: TracedWorld
  readonly #asked: UpstreamCall
  readonly #span: Span
  readonly #startedAt: number
  #firstAt: number | undefined

  constructor(asked: UpstreamCall, parent: Context, world: TracedWorld) {
    this.#world = world
    this.#asked = asked
    this.#startedAt = world.clock()
    // What has no address answers in this process.
    const kind = asked.address === undefined ? SpanKind.INTERNAL : SpanKind.CLIENT
    const options = { kind, attributes: startAttributes(asked) }
    this.#span = world.tracer.startSpan(`${chat} ${asked.model}`, options, parent)
    if (this.#span.isRecording()) {
      this.#span.setAttributes(requestAttributes(asked.input))
      if (world.content) this.#span.setAttributes(inputContent(asked.input))
    }
    this.headers = world.tells(asked.provider) ? carriedOf(trace.setSpan(parent, this.#span)) : {}
  }

  firstContent(): void {
    this.#firstAt = this.#world.clock()
  }

  end(end: AttemptEnd): void {
    const error = end.outcome === 'cut_off' ? end.outcome : errorOf(end)
    const firstChunk = this.#firstAt === undefined ? undefined : (this.#firstAt - this.#startedAt) / 1_000
    const span = this.#span
    if (span.isRecording()) {
      span.setAttributes({
        [names.responseModel]: end.responseModel,
        [names.responseFinishReasons]: end.finishReasons.length > 0 ? [...end.finishReasons] : undefined,
        [names.responseTimeToFirstChunk]: firstChunk,
        [names.errorType]: error,
        ...usageAttributes(end),
      })
      // A call that nobody waits for any more has not failed.
      if (end.outcome === 'failed') span.setStatus({ code: SpanStatusCode.ERROR })
    }
    span.end()
    this.#measure(end, error, firstChunk)
  }

  #measure({ usage, usageEstimated }: AttemptEnd, error: string | undefined, firstChunk?: number): void {
    const { labels, clock } = this.#world
    const { operationDuration, timeToFirstChunk, tokenUsage } = this.#world.instruments()
    const about: Attributes = {
      [names.operationName]: chat,
      [names.providerName]: labels.provider(this.#asked.provider),
      [names.requestModel]: labels.model(this.#asked.model),
    }
    const seconds = (clock() - this.#startedAt) / 1_000
    operationDuration.record(seconds, error === undefined ? about : { ...about, [names.errorType]: error })
    if (firstChunk !== undefined) timeToFirstChunk.record(firstChunk, about)
    // The conventions want counts, and no estimates.
    if (usage === undefined || usageEstimated) return
    tokenUsage.record(usage.prompt_tokens, { ...about, [names.tokenType]: 'input' })
    tokenUsage.record(usage.completion_tokens, { ...about, [names.tokenType]: 'output' })
  }
}

/** What a sampler decides by. */
function startAttributes({ provider, model, why, address, port }: UpstreamCall): Attributes {
  return {
    [names.operationName]: chat,
    [names.providerName]: providerName(provider),
    [names.requestModel]: model,
    [names.serverAddress]: address,
    [names.serverPort]: port,
    [ownAttributes.provider]: provider,
    [ownAttributes.attemptReason]: why,
  }
}

function errorOf({ outcome, error }: AttemptEnd): string | undefined {
  return outcome === 'failed' ? failureType(error) : undefined
}

/** Baggage is the caller's own, and goes to no vendor. */
function carriedOf(context: Context): Readonly<Record<string, string>> {
  const carrier: Record<string, string> = {}
  propagation.inject(propagation.deleteBaggage(context), carrier)
  return carrier
}

/** What spans are made with, and by which choices. */
export interface TracedWorld {
  readonly tracer: Tracer
  readonly instruments: () => Instruments
  readonly labels: Labels
  /** Monotonic milliseconds. */
  readonly clock: () => number
  /** Whether a caller's trace is gone on with. */
  readonly incoming: boolean
  /** Whether an upstream is told of the trace, by its provider's name. */
  readonly tells: (provider: string) => boolean
  readonly tags: readonly string[]
  /** Whether a span tells who asked. */
  readonly principal: boolean
  /** Whether spans tell the words. */
  readonly content: boolean
}
