import type { Observer } from '../contracts/events.ts'
import type { RequestSpan, Tracer } from '../contracts/tracer.ts'
import { TracedRequest } from '../observability/traced-request.ts'

/** Begins to follow a request. */
export type TraceStart = (request: Request, requestId: string) => TracedRequest | undefined

/** A tracer of the user's making, which fails no request: `observe` is told once that it fails. */
export function soundTracer(tracer: Tracer | undefined, observe: Observer): TraceStart | undefined {
  if (tracer === undefined) return undefined
  let told = false
  const failed = (error: unknown): void => {
    if (told) return
    told = true
    const message = 'The tracer fails: spans may be missing, or have no end. This is told once.'
    observe({ type: 'warning', code: 'tracer_failed', message, error })
  }
  return (request, requestId) => {
    try {
      const span: unknown = tracer.start(request, requestId)
      if (span === undefined) return undefined
      if (!isRequestSpan(span)) throw mistaken(span)
      return new TracedRequest(span, failed)
    } catch (error) {
      failed(error)
      return undefined
    }
  }
}

function isRequestSpan(value: unknown): value is RequestSpan {
  const { attempt, end } = (value ?? {}) as { attempt?: unknown; end?: unknown }
  return typeof attempt === 'function' && typeof end === 'function'
}

function mistaken(got: unknown): TypeError {
  // Of a promise nobody waits for, nobody hears that it fails.
  const promised = typeof got === 'object' && got !== null && 'then' in got
  if (promised) void Promise.resolve(got).catch(() => {})
  return new TypeError(
    `tracer: start gave ${promised ? 'a promise' : 'no span'}, expected { attempt(), end() } or undefined.`,
  )
}
