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
import { attributes as names, ownAttributes, providerName } from './names.ts'

/** The span and the metrics of one upstream call. */
export class UpstreamSpan implements AttemptSpan {
  /** The trace headers for the upstream. */
  readonly headers: Readonly<Record<string, string>>
  readonly #dependencies: TracingDependencies
  readonly #call: UpstreamCall
  readonly #operation: string
  readonly #span: Span
  readonly #startedAt: number
  #firstAt: number | undefined

  /** `operation` is the conventions' name of it. */
  constructor(call: UpstreamCall, operation: string, parent: Context, dependencies: TracingDependencies) {
    this.#dependencies = dependencies
    this.#call = call
    this.#operation = operation
    this.#startedAt = dependencies.clock()
    // A provider without an address answers in this process.
    const kind = call.address === undefined ? SpanKind.INTERNAL : SpanKind.CLIENT
    const options = { kind, attributes: startAttributes(call, operation) }
    this.#span = dependencies.tracer.startSpan(`${operation} ${call.model}`, options, parent)
    const { input } = call
    if (input !== undefined && this.#span.isRecording()) {
      this.#span.setAttributes(requestAttributes(input))
      if (dependencies.content) this.#span.setAttributes(inputContent(input))
    }
    this.headers = dependencies.propagatesTo(call.provider)
      ? carriedOf(trace.setSpan(parent, this.#span))
      : {}
  }

  firstContent(): void {
    this.#firstAt = this.#dependencies.clock()
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
      // A cancelled call has not failed.
      if (end.outcome === 'failed') span.setStatus({ code: SpanStatusCode.ERROR })
    }
    span.end()
    this.#measure(end, error, firstChunk)
  }

  #measure({ usage, usageEstimated }: AttemptEnd, error: string | undefined, firstChunk?: number): void {
    const { labels, clock } = this.#dependencies
    const { operationDuration, timeToFirstChunk, tokenUsage } = this.#dependencies.instruments()
    const about: Attributes = {
      [names.operationName]: this.#operation,
      [names.providerName]: labels.provider(this.#call.provider, this.#call.unlisted === true),
      [names.requestModel]: labels.model(this.#call.model, this.#call.unlisted === true),
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

/** Attributes that are available to samplers. */
function startAttributes(
  { provider, model, key, why, address, port }: UpstreamCall,
  operation: string,
): Attributes {
  return {
    [names.operationName]: operation,
    [names.providerName]: providerName(provider),
    [names.requestModel]: model,
    [names.serverAddress]: address,
    [names.serverPort]: port,
    [ownAttributes.provider]: provider,
    [ownAttributes.attemptReason]: why,
    [ownAttributes.providerKey]: key,
  }
}

function errorOf({ outcome, error }: AttemptEnd): string | undefined {
  return outcome === 'failed' ? failureType(error) : undefined
}

/** Returns the trace headers, without baggage: it belongs to the caller and must not reach a provider. */
function carriedOf(context: Context): Readonly<Record<string, string>> {
  const carrier: Record<string, string> = {}
  propagation.inject(propagation.deleteBaggage(context), carrier)
  return carrier
}

/** Dependencies and options of the spans. */
export interface TracingDependencies {
  readonly tracer: Tracer
  readonly instruments: () => Instruments
  readonly labels: Labels
  /** Monotonic milliseconds. */
  readonly clock: () => number
  /** Whether the caller's trace is continued. */
  readonly incoming: boolean
  /** Whether a provider receives the trace headers. */
  readonly propagatesTo: (provider: string) => boolean
  readonly tags: readonly string[]
  /** Whether spans have the id of the principal. */
  readonly principal: boolean
  /** Whether spans have the end user that the caller names. */
  readonly user: boolean
  /** Whether spans have content. */
  readonly content: boolean
}
