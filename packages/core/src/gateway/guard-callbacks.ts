import { LedgerState } from '../accounting/ledger-state.ts'
import type { Clock } from '../clock/clock.ts'
import type { BodyRecorder, BodyRequest, RecordedBodies } from '../contracts/body-recorder.ts'
import type { Observer, WarningEvent } from '../contracts/events.ts'
import type { Ledger } from '../contracts/ledger.ts'
import type { LoadShedder } from '../contracts/load-shedder.ts'
import type { Operation } from '../contracts/outline.ts'
import type { Principal } from '../contracts/principal.ts'
import type { RequestSpan, Tracer } from '../contracts/tracer.ts'
import { TracedRequest } from '../observability/traced-request.ts'
import { ignoreRejection, isPromise } from '../primitives/is-promise.ts'
import { memberOf, membersOf, ownMembers } from '../primitives/own-members.ts'
import { freshId, random as systemRandom } from '../primitives/random.ts'
import type { Prices } from '../usage/prices.ts'
import { copiedUsage } from '../usage/usage.ts'
import type { GatewayOptions } from './config.ts'
import { withPolicyTimeout } from './guard-policies.ts'

/** How a callback's failures are reported, and what it has to return. */
interface Report {
  readonly name: string
  readonly expected: string
  readonly failed: (error: unknown) => void
  readonly worked: () => void
}

/** Guards a user's callback: where it throws, or returns a value that is not `valid`, `fallback` is called instead. */
function guardCallback<Args extends readonly unknown[], T>(
  callback: (...args: Args) => T,
  valid: (value: unknown) => boolean,
  fallback: () => T,
  report?: Report,
): (...args: Args) => T {
  return (...args) => {
    try {
      const value = callback(...args)
      if (valid(value)) {
        report?.worked()
        return value
      }
      ignoreRejection(value)
      const got = isPromise(value) ? 'a promise' : typeof value
      report?.failed(new TypeError(`${report.name}: got ${got}, expected ${report.expected}.`))
    } catch (error) {
      report?.failed(error)
    }
    return fallback()
  }
}

/** Warns when a callback begins to fail, and again only after it has worked. */
function warning(
  observe: Observer,
  event: Pick<WarningEvent, 'code' | 'message'>,
  { name, expected }: Pick<Report, 'name' | 'expected'>,
): Report {
  let failing = false
  return {
    name,
    expected,
    failed(error) {
      if (!failing) observe({ type: 'warning', ...event, error })
      failing = true
    },
    worked() {
      failing = false
    },
  }
}

const nothing = () => undefined
const isHeaderText = (id: unknown) => typeof id === 'string' && /^[\x21-\x7e]{1,100}$/.test(id)
const isChance = (drawn: unknown) => typeof drawn === 'number' && drawn >= 0 && drawn < 1
const isAmount = (cost: unknown) => typeof cost === 'number' && Number.isFinite(cost) && cost >= 0

/** Uses the user's ids where a header can carry them, else random ones. */
export function guardId(id: (() => string) | undefined): () => string {
  return id === undefined ? freshId : guardCallback(() => id(), isHeaderText, freshId)
}

/** Uses the user's date where it is a time, else that of the clock. */
export function guardNow(now: (() => number) | undefined, clock: Clock): () => number {
  return now === undefined ? clock.now : guardCallback(() => now(), Number.isFinite, clock.now)
}

/** Uses the user's random numbers where they are valid, else the process's own. */
export function guardRandom(random: (() => number) | undefined): () => number {
  return random === undefined ? systemRandom : guardCallback(() => random(), isChance, systemRandom)
}

/** Guards the user's prices: an invalid price counts as unknown, not as 0. They get a copy of the usage. */
export function guardPrices(prices: Prices | undefined): Prices {
  const unknown = () => null
  if (prices === undefined) return unknown
  return guardCallback<Parameters<Prices>, number | null>(
    (usage, model) => prices(copiedUsage(usage), model),
    isAmount,
    unknown,
  )
}

/** Guards the user's load shedder: one that fails rejects no request. */
export function guardShedder(shedder: LoadShedder | undefined, observe: Observer): LoadShedder | undefined {
  if (shedder === undefined) return undefined
  const message = 'The load shedder fails: requests are let in without it.'
  const expected = 'a text, which is the reason to refuse, or undefined'
  const report = warning(observe, { code: 'load_shedder_failed', message }, { name: 'loadShedder', expected })
  const isReason = (reason: unknown) => reason === undefined || typeof reason === 'string'
  const guarded: LoadShedder = guardCallback(load => shedder(load), isReason, nothing, report)
  guarded.close = () => {
    try {
      const returned: unknown = memberOf(shedder, 'close')?.call(shedder)
      if (isPromise(returned)) returned.then(undefined, report.failed)
    } catch (error) {
      report.failed(error)
    }
  }
  return guarded
}

/** Returns whether a principal's responses have a trace; `undefined`: none has. Where it fails, that principal's have none. */
export function guardTraceChoice(
  choice: GatewayOptions['traceHeader'],
  observe: Observer,
): ((principal: Principal) => boolean) | undefined {
  const message = 'The function traceHeader fails: responses have no trace header.'
  const expected = { name: 'traceHeader', expected: 'true or false' }
  return guardChoice(choice, warning(observe, { code: 'trace_header_failed', message }, expected))
}

/** Returns whether a principal's answers have their cost; `undefined`: none has. Where it fails, that principal's have none. */
export function guardCostChoice(
  choice: GatewayOptions['exposesCost'],
  observe: Observer,
): ((principal: Principal) => boolean) | undefined {
  const message = 'The function exposesCost fails: answers have no cost.'
  const expected = { name: 'exposesCost', expected: 'true or false' }
  return guardChoice(choice, warning(observe, { code: 'exposes_cost_failed', message }, expected))
}

function guardChoice(
  choice: boolean | ((principal: Principal) => boolean) | undefined,
  report: ReturnType<typeof warning>,
): ((principal: Principal) => boolean) | undefined {
  if (choice === undefined || choice === false) return undefined
  if (choice === true) return () => true
  const isBoolean = (value: unknown) => typeof value === 'boolean'
  return guardCallback<[Principal], boolean>(
    principal => choice(principal),
    isBoolean,
    () => false,
    report,
  )
}

/** Guards the user's recorder of bodies: it fails no request, and `observe` is called once when it fails. */
export function guardBodyRecorder(
  recorder: BodyRecorder | undefined,
  observe: Observer,
): BodyRecorder | undefined {
  if (recorder === undefined) return undefined
  const message = 'The recorder of bodies fails: bodies may be missing. This is reported once.'
  const expected = { name: 'bodies.wants', expected: 'true or false' }
  const report = {
    ...warning(observe, { code: 'body_recorder_failed', message }, expected),
    worked: nothing,
  }
  const isBoolean = (value: unknown) => typeof value === 'boolean'
  return {
    maxBytes: recorder.maxBytes,
    wants: guardCallback<[BodyRequest], boolean>(
      request => recorder.wants(request),
      isBoolean,
      () => false,
      report,
    ),
    record: guardCallback<[RecordedBodies], void>(
      bodies => {
        const returned: unknown = recorder.record(bodies)
        if (isPromise(returned)) returned.then(undefined, report.failed)
      },
      () => true,
      nothing,
      report,
    ),
  }
}

/** Starts the span of a request. */
export type TraceStart = (
  request: Request,
  requestId: string,
  operation: Operation,
) => TracedRequest | undefined

/** Guards the user's tracer: it fails no request, and `observe` is called once when it fails. */
export function guardTracer(tracer: Tracer | undefined, observe: Observer): TraceStart | undefined {
  if (tracer === undefined) return undefined
  const message = 'The tracer fails: spans may be missing, or have no end. This is reported once.'
  const expected = { name: 'tracer.start', expected: '{ attempt(), end() } or undefined' }
  const report = { ...warning(observe, { code: 'tracer_failed', message }, expected), worked: nothing }
  const start = guardCallback<Parameters<TraceStart>, RequestSpan | undefined>(
    (request, requestId, operation) => tracer.start(request, requestId, operation),
    isSpanOrNothing,
    nothing,
    report,
  )
  return (request, requestId, operation) => {
    const span = start(request, requestId, operation)
    return span && new TracedRequest(span, report.failed)
  }
}

function isSpanOrNothing(value: unknown): boolean {
  const { attempt, end } = (value ?? {}) as { attempt?: unknown; end?: unknown }
  return value === undefined || (typeof attempt === 'function' && typeof end === 'function')
}

/**
 * Returns a ledger that must store an entry within `ms`. `observe` receives an event when it starts to fail, and when it
 * works again. Its `close`, `cancel`, `recordDiscarded` and `flush` never fail.
 */
export function guardLedger(
  ledger: Ledger | undefined,
  ms: number,
  observe: Observer,
  clock: Clock,
): Ledger | undefined {
  if (ledger === undefined) return undefined
  const { cancel, recordDiscarded } = membersOf(ledger, 'cancel', 'recordDiscarded')
  const state = new LedgerState(observe)
  const watch = async (part: string, run: () => void | Promise<void>): Promise<void> => {
    try {
      await run()
    } catch (error) {
      state.fails(part, error)
      throw error
    }
    state.works(part)
  }
  return ownMembers<Ledger>({
    open: (entry, progress) =>
      watch('open', () => withPolicyTimeout(clock, 'ledger', ledger.open(entry, progress), ms)),
    close: closing => watch('close', () => ledger.close(closing)).catch(() => {}),
    ...(cancel && { cancel: entry => watch('close', () => cancel.call(ledger, entry)).catch(() => {}) }),
    ...(recordDiscarded && {
      recordDiscarded: closing => watch('close', () => recordDiscarded.call(ledger, closing)).catch(() => {}),
    }),
    flush: () => watch('flush', () => ledger.flush?.()).catch(() => {}),
  })
}
