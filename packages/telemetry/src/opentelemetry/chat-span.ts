import {
  type Attributes,
  type Context,
  context,
  propagation,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import type { AttemptSpan, EndEvent, Operation, Principal, RequestSpan, UpstreamCall } from '@sluice/core'
import { finalAttempt } from '../final-attempt.ts'
import { requestErrorType } from './error-type.ts'
import { attributes as names, operationNames, ownAttributes, providerName } from './names.ts'
import { type TracingDependencies, UpstreamSpan } from './upstream-span.ts'

/**
 * The span of one request. Inside a span of the host, such as that of an HTTP instrumentation, it is an internal span;
 * otherwise it is a server span that continues the caller's trace.
 */
export class ChatSpan implements RequestSpan {
  readonly #dependencies: TracingDependencies
  readonly #operation: string
  readonly #served: boolean
  readonly #span: Span
  readonly #context: Context

  constructor(request: Request, requestId: string, operation: Operation, dependencies: TracingDependencies) {
    this.#dependencies = dependencies
    this.#operation = operationNames[operation]
    const active = context.active()
    const around = trace.getSpan(active)
    this.#served = around === undefined || around.spanContext().isRemote === true
    const continuesTrace = around === undefined && dependencies.incoming
    const parent = continuesTrace ? propagation.extract(active, request.headers, headerGetter) : active
    const attributes: Attributes = {
      [names.operationName]: this.#operation,
      [ownAttributes.requestId]: requestId,
    }
    if (this.#served) attributes[names.httpRequestMethod] = request.method
    const kind = this.#served ? SpanKind.SERVER : SpanKind.INTERNAL
    this.#span = dependencies.tracer.startSpan(this.#operation, { kind, attributes }, parent)
    this.#context = trace.setSpan(parent, this.#span)
  }

  within(run: () => void): void {
    context.with(this.#context, run)
  }

  attempt(call: UpstreamCall): AttemptSpan {
    return new UpstreamSpan(call, this.#operation, this.#context, this.#dependencies)
  }

  end(event: EndEvent, answerId: string | undefined): void {
    const span = this.#span
    if (span.isRecording()) {
      if (event.model !== undefined) span.updateName(`${this.#operation} ${event.model}`)
      span.setAttributes(this.#attributesOf(event, answerId))
      if (isFault(event)) span.setStatus({ code: SpanStatusCode.ERROR })
    }
    span.end()
  }

  #attributesOf(event: EndEvent, answerId: string | undefined): Attributes {
    const { principal, cost, timings } = event
    const attempt = finalAttempt(event)
    return {
      [names.requestModel]: event.model,
      [names.requestStream]: event.stream ? true : undefined,
      [names.providerName]: attempt && providerName(attempt.provider),
      [names.responseId]: event.outcome === 'completed' ? answerId : undefined,
      [names.responseModel]: event.responseModel,
      [names.httpResponseStatusCode]: this.#served ? event.status : undefined,
      [names.errorType]: requestErrorType(event),
      [names.enduserId]: this.#dependencies.principal ? principal?.id : undefined,
      [names.userId]: this.#dependencies.user ? event.user : undefined,
      [ownAttributes.dialect]: event.dialect,
      [ownAttributes.clientRequestId]: event.clientRequestId,
      [ownAttributes.outcome]: event.outcome,
      [ownAttributes.authFailure]: event.authFailure?.reason,
      [ownAttributes.attempts]: event.attempts.filter(({ called }) => called).length,
      [ownAttributes.cost]: cost ?? undefined,
      [ownAttributes.cache]: event.cache,
      [ownAttributes.replayed]: event.replayed ? true : undefined,
      [ownAttributes.queued]: timings.queue > 0 ? timings.queue / 1_000 : undefined,
      ...this.#tagsOf(principal),
    }
  }

  #tagsOf(principal: Principal | undefined): Attributes {
    const tags = principal?.tags ?? {}
    const present = this.#dependencies.tags.filter(name => Object.hasOwn(tags, name))
    return Object.fromEntries(present.map(name => [ownAttributes.tag(name), tags[name]]))
  }
}

/** Client errors and client disconnects are not errors of the service. */
function isFault({ outcome, status }: EndEvent): boolean {
  if (outcome === 'completed' || outcome === 'client_disconnected') return false
  return status >= 500 || status < 400
}

const headerGetter = {
  get: (headers: Headers, name: string): string | undefined => headers.get(name) ?? undefined,
  keys: (headers: Headers): string[] => [...headers.keys()],
}
