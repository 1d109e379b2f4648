import {
  type AttemptRecord,
  type EndEvent,
  GatewayError,
  type RequestOutcome,
  type TracedTarget,
  UpstreamError,
} from '@sluice/core'
import { type LoggedAttempt, type LoggedRequest, storableText } from '@sluice/core/store'

/** A longer list of a request is cut; `omitted` counts the rest. */
const maxItems = { attempts: 50, candidates: 50, hooks: 50, adjustments: 50, wouldHaveRefused: 20 } as const

const maxNameLength = 500
const maxMessageLength = 1_000
const maxErrorTextLength = 4_000

/** Codes of vendors, systems and drivers, such as `context_length_exceeded` or `ECONNREFUSED`. */
const errorCode = /^[\w.-]{1,64}$/

/**
 * Returns the row of a request that has ended. It has no text of a prompt, a response or a vendor. Names that callers choose are
 * cut after 500 characters.
 *
 * @param errorMessages - whether to keep messages of errors that may quote what a caller sent.
 */
export function loggedRequest(event: EndEvent, errorMessages: boolean): LoggedRequest {
  const { attempts, adjustments, wouldHaveRefused, timings, trace, usage, principal } = event
  const { candidates, hooks = [] } = trace
  const final = finalAttempt(attempts)
  const failure = hasError(event.outcome) ? describeError(event.error, errorMessages) : noError
  const loggedAttempts = attempts
    .slice(0, maxItems.attempts)
    .map(attempt => loggedAttempt(attempt, errorMessages))
  return {
    id: storableText(event.requestId),
    clientRequestId: nullable(event.clientRequestId),
    at: Math.trunc(event.at),
    operation: event.operation,
    dialect: name(event.dialect),
    outcome: event.outcome,
    status: event.status,
    principal: principal === undefined ? null : storableText(principal.id),
    source: principal?.source === undefined ? null : storableText(principal.source),
    tags: storedTags(principal?.tags),
    user: nullable(event.user),
    authFailure: event.authFailure?.reason ?? null,
    model: nullable(event.model),
    provider: nullable(final?.provider),
    upstreamModel: nullable(final?.model),
    responseModel: nullable(event.responseModel),
    stream: event.stream,
    promptTokens: usage?.prompt_tokens ?? null,
    cachedTokens: usage?.prompt_tokens_details.cached_tokens ?? null,
    completionTokens: usage?.completion_tokens ?? null,
    reasoningTokens: usage?.completion_tokens_details.reasoning_tokens ?? null,
    usageEstimated: event.usageEstimated,
    cost: event.cost,
    queueMs: rounded(timings.queue),
    firstByteMs: timings.firstByte === undefined ? null : rounded(timings.firstByte),
    totalMs: rounded(timings.total),
    overheadMs: trace.overheadMs === undefined ? null : rounded(trace.overheadMs),
    cache: event.cache ?? null,
    replayed: event.replayed,
    error: failure.code,
    errorStatus: failure.status,
    errorMessage: failure.message,
    errorText: errorTextOf(failure, loggedAttempts),
    attempts: loggedAttempts,
    seed: trace.seed,
    candidates: candidates.slice(0, maxItems.candidates).map(tracedTarget),
    hooks: hooks
      .slice(0, maxItems.hooks)
      .map(hook => ({ name: hook.name, outcome: hook.outcome, ms: rounded(hook.ms) })),
    adjustments: adjustments
      .slice(0, maxItems.adjustments)
      .map(({ parameter, action, detail }) =>
        name(`${parameter} ${action}${detail === undefined ? '' : `: ${detail}`}`),
      ),
    wouldHaveRefused: wouldHaveRefused.slice(0, maxItems.wouldHaveRefused).map(name),
    omitted:
      beyond(attempts, maxItems.attempts) +
      beyond(candidates, maxItems.candidates) +
      (trace.more ?? 0) +
      beyond(hooks, maxItems.hooks) +
      beyond(adjustments, maxItems.adjustments) +
      beyond(wouldHaveRefused, maxItems.wouldHaveRefused),
  }
}

interface ErrorDescription {
  readonly code: string | null
  readonly status: number | null
  readonly message: string | null
}

const noError: ErrorDescription = { code: null, status: null, message: null }

/** What a client or the closing gateway ends is no error of the request. */
function hasError(outcome: RequestOutcome): boolean {
  return outcome !== 'completed' && outcome !== 'client_disconnected' && outcome !== 'gateway_closed'
}

/**
 * Describes an error without the text of a vendor. A message of the gateway may quote the request, and one of any other error may
 * quote anything: both need `messages`.
 */
function describeError(error: unknown, messages: boolean): ErrorDescription {
  if (UpstreamError.is(error)) {
    const code = typeof error.code === 'string' && errorCode.test(error.code) ? ` (${error.code})` : ''
    return {
      code: error.kind,
      status: error.status ?? null,
      message: cut(error.message, maxMessageLength) + code,
    }
  }
  if (GatewayError.is(error)) {
    return {
      code: error.reason,
      status: null,
      message: messageOf(error, messages) ?? systemCode(error.cause),
    }
  }
  if (!(error instanceof Error)) return { ...noError, code: error === undefined ? null : typeof error }
  if (error.name === 'AnsweredElsewhere') return { ...noError, code: 'answered_elsewhere' }
  if (error.name === 'LifeEnded') return { ...noError, code: 'cut_off' }
  return { code: name(error.name), status: null, message: messageOf(error, messages) ?? systemCode(error) }
}

function messageOf(error: Error, messages: boolean): string | null {
  return messages ? cut(error.message, maxMessageLength) : null
}

function systemCode(error: unknown): string | null {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return errorCode.test(code) ? code : null
}

function loggedAttempt(attempt: AttemptRecord, errorMessages: boolean): LoggedAttempt {
  const { code, message } =
    attempt.error === undefined ? noError : describeError(attempt.error, errorMessages)
  return {
    provider: name(attempt.provider),
    model: name(attempt.model),
    key: nullable(attempt.key),
    why: attempt.why,
    called: attempt.called,
    startMs: rounded(attempt.startMs),
    ms: rounded(attempt.ms),
    waitedMs: rounded(attempt.waitedMs),
    status: attempt.status ?? null,
    error: code,
    errorMessage: message,
  }
}

/** One line for the request and one for each attempt that failed. */
function errorTextOf(
  { code, status, message }: ErrorDescription,
  attempts: readonly LoggedAttempt[],
): string | null {
  const lines = [
    ...(code === null ? [] : [words(code, status, message)]),
    ...attempts
      .filter(({ error }) => error !== null && error !== 'answered_elsewhere' && error !== 'cut_off')
      .map(({ provider, model, error, status: upstream, errorMessage }) =>
        words(`${provider}/${model}`, error, upstream, errorMessage),
      ),
  ]
  return lines.length === 0 ? null : cut(lines.join('\n'), maxErrorTextLength)
}

function words(...parts: readonly (string | number | null)[]): string {
  return parts.filter(part => part !== null).join(' ')
}

function tracedTarget({ provider, model, via, skipped, skippedKeys }: TracedTarget): TracedTarget {
  return {
    provider: name(provider),
    model: name(model),
    ...(via !== undefined && { via: name(via) }),
    ...(skipped !== undefined && {
      skipped: { ...skipped, ...(skipped.detail !== undefined && { detail: name(skipped.detail) }) },
    }),
    ...(skippedKeys !== undefined && {
      skippedKeys: skippedKeys.map(each => ({
        ...each,
        key: name(each.key),
        ...(each.detail !== undefined && { detail: name(each.detail) }),
      })),
    }),
  }
}

/** Returns the attempt that decided a request: the one that succeeded, else the last one that was called. */
function finalAttempt(attempts: readonly AttemptRecord[]): AttemptRecord | undefined {
  const called = attempts.filter(attempt => attempt.called)
  return called.find(({ error }) => error === undefined) ?? called.at(-1)
}

function storedTags(tags: Readonly<Record<string, string>> | undefined): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(tags ?? {}).map(([tag, value]) => [storableText(tag), storableText(String(value))]),
  )
}

function nullable(text: string | undefined): string | null {
  return text === undefined ? null : name(text)
}

/** A name as the log stores it and as a query finds it: cut after 500 characters. */
export function name(text: string): string {
  return cut(text, maxNameLength)
}

function cut(text: string, maxLength: number): string {
  return storableText(text.length > maxLength ? `${text.slice(0, maxLength)}…` : text)
}

/** Rounds to a tenth of a millisecond. */
function rounded(ms: number): number {
  return Math.round(ms * 10) / 10
}

function beyond(list: readonly unknown[], max: number): number {
  return Math.max(0, list.length - max)
}
