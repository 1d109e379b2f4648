import type { Clock } from '../clock/clock.ts'
import { withTimeout } from '../clock/with-timeout.ts'
import type { AnswerDelta } from '../contracts/dialect.ts'
import type { Draft } from '../contracts/draft.ts'
import type { EndEvent, Observer } from '../contracts/events.ts'
import type {
  Hook,
  HookContext,
  HookRequest,
  HookResponse,
  RequestDecision,
  ResponseDecision,
} from '../contracts/hook.ts'
import type { Operation, Outline } from '../contracts/outline.ts'
import type { Principal } from '../contracts/principal.ts'
import type { HookRecord } from '../contracts/trace.ts'
import { type RequestText, requestTexts } from '../conversation/request-texts.ts'
import { GatewayError } from '../errors/errors.ts'
import { isPromise } from '../primitives/is-promise.ts'
import { matchesPattern } from '../primitives/matches-pattern.ts'
import type { JsonObject } from '../protocol/chat.ts'
import { ChunkFilter } from './chunk-filter.ts'
import { chunkDecision, refusedByPolicy, requestDecision, responseDecision } from './decisions.ts'

/** What hooks know of a request besides its draft. */
export interface HookedRequest {
  readonly requestId: string
  readonly user: string | undefined
  /** Returns the signal that aborts when the request ends early. */
  readonly signal: () => AbortSignal
}

/** The hooks of a gateway. */
export class Hooks {
  readonly #hooks: readonly Hook[]
  readonly #observe: Observer
  readonly #clock: Clock
  /** The hooks that have failed last. */
  readonly #failing = new Set<string>()

  constructor(hooks: readonly Hook[], observe: Observer, clock: Clock) {
    this.#hooks = hooks.map(hook => hook)
    this.#observe = observe
    this.#clock = clock
  }

  /** Returns the hooks of a request. Which of them apply is known after `onRequest`. */
  of(draft: Draft, principal: Principal, request: HookedRequest): RequestHooks {
    return new RequestHooks(this.#hooks, draft, principal, request, this.#clock, this.#outcome)
  }

  /** Reports a hook that begins to fail, and again only after it has worked. */
  readonly #outcome = (name: string, failure?: { readonly error: unknown }): void => {
    if (failure === undefined) {
      if (this.#failing.size > 0) this.#failing.delete(name)
    } else if (!this.#failing.has(name)) {
      this.#failing.add(name)
      const message = `The hook '${name}' fails.`
      this.#observe({ type: 'warning', code: 'hook_failed', message, error: failure.error })
    }
  }
}

function appliesTo(hook: Hook, { operation, model }: Draft, principal: Principal): boolean {
  const { models, operations } = hook
  if (operations?.includes(operation) === false) return false
  if (models?.some(pattern => matchesPattern(pattern, model)) === false) return false
  return hook.appliesTo?.(principal) !== false
}

/** Called with each outcome of a hook's function; without `failure`, it has worked. */
type Report = (name: string, failure?: { readonly error: unknown }) => void

/** Applies what a hook has decided of a request, and returns the result. */
type ChangeRequest = (decision: RequestDecision) => { readonly draft: Draft; readonly principal: Principal }

/** The hooks of one request, in their order. */
export class RequestHooks {
  readonly #all: readonly Hook[]
  readonly #request: HookedRequest
  readonly #clock: Clock
  readonly #report: Report
  #active: ActiveHook[] = []
  #principal: Principal
  #draft: Draft

  constructor(
    all: readonly Hook[],
    draft: Draft,
    principal: Principal,
    request: HookedRequest,
    clock: Clock,
    report: Report,
  ) {
    this.#all = all
    this.#draft = draft
    this.#principal = principal
    this.#request = request
    this.#clock = clock
    this.#report = report
  }

  /** Whether any hook has applied. */
  get hasApplied(): boolean {
    return this.#active.length > 0
  }

  /** Whether responses are read, so that they cannot be passed on as vendors wrote them. */
  get readsResponses(): boolean {
    return this.readers.length > 0
  }

  /** Whether a stream is held back until it is complete. */
  get holdsStreams(): boolean {
    return this.#active.some(({ hook }) => hook.onChunk === undefined && hook.onResponse !== undefined)
  }

  /** Names the hooks that read the response: what they do to it may differ from that of others. */
  get readers(): readonly string[] {
    return this.#active
      .filter(({ hook }) => hook.onChunk !== undefined || hook.onResponse !== undefined)
      .map(({ hook }) => hook.name)
  }

  get records(): readonly HookRecord[] {
    return this.#active.map(({ hook, outcome, ms }) => ({ name: hook.name, outcome, ms }))
  }

  /**
   * Runs the hooks of the request. `change` applies what one has decided, and returns the draft for the next one. A hook that
   * applies to the model that another has chosen runs after it.
   *
   * Rejects with `GatewayError` for a refusal, and with what a hook fails with that is `closed`.
   */
  async onRequest(change: ChangeRequest): Promise<void> {
    for (let hook = this.#nextHook(); hook !== undefined; hook = this.#nextHook()) {
      const active = new ActiveHook(hook)
      this.#active.push(active)
      if (hook.onRequest === undefined) continue
      const { body, outline } = this.#draft
      const deciding = this.#call(
        active,
        'onRequest',
        () => hook.onRequest!(new RequestView(body, outline), this.#contextOf(active)),
        given => this.#applyRequest(active, requestDecision(given), change),
      )
      if (isPromise(deciding)) await deciding
    }
    // In their own order, whatever the order in which they came to apply.
    if (this.#active.length > 1) {
      this.#active = this.#all.flatMap(hook => this.#active.find(active => active.hook === hook) ?? [])
    }
  }

  /** Returns the first hook that applies to the request as it is now, and has not run. */
  #nextHook(): Hook | undefined {
    return this.#all.find(
      hook =>
        !this.#active.some(active => active.hook === hook) && appliesTo(hook, this.#draft, this.#principal),
    )
  }

  #applyRequest(active: ActiveHook, decision: RequestDecision, change: ChangeRequest): void {
    const { edits = [], model, tags } = decision
    if (edits.length === 0 && model === undefined && tags === undefined) return
    const changed = change(decision)
    this.#draft = changed.draft
    this.#principal = changed.principal
    active.changed()
  }

  /** Returns what changes the deltas of one response; `undefined` if no hook does. */
  chunkFilter(): ((deltas: readonly AnswerDelta[]) => Promise<readonly AnswerDelta[]>) | undefined {
    const filters = this.#active.flatMap(active =>
      active.hook.onChunk === undefined ? [] : [this.#filterOf(active)],
    )
    if (filters.length === 0) return undefined
    return async deltas => {
      let filtered = deltas
      for (const filter of filters) filtered = await filter.push(filtered)
      return filtered
    }
  }

  #filterOf(active: ActiveHook): ChunkFilter {
    const { hook } = active
    const context = this.#contextOf(active)
    return new ChunkFilter(hook.holdBack ?? 0, chunk =>
      this.#call(
        active,
        'onChunk',
        () => hook.onChunk!(chunk, context),
        given => {
          const decision = chunkDecision(given, chunk.text)
          if (decision.replacements?.length) active.changed()
          return decision
        },
      ),
    )
  }

  /**
   * Runs the hooks of a complete response, each with what the one before has left. `retry` is the message of the first hook that
   * wants one: the hooks after it have not run.
   */
  async onResponse(
    given: HookResponse['completion'],
    { isStream, isRetry }: { readonly isStream: boolean; readonly isRetry: boolean },
    change: (decision: ResponseDecision) => HookResponse['completion'],
  ): Promise<{ readonly retry: string | undefined }> {
    let completion = given
    let retry: string | undefined
    for (const active of this.#active) {
      const { hook } = active
      if (hook.onResponse === undefined || (isStream && hook.onChunk !== undefined)) continue
      const response: HookResponse = { completion, body: this.#draft.body, isRetry }
      await this.#call(
        active,
        'onResponse',
        () => hook.onResponse!(response, this.#contextOf(active)),
        decided => {
          const decision = responseDecision(decided)
          if (decision.retry !== undefined) {
            if (isStream || isRetry) throw refusedByPolicy(decision.retry)
            retry = decision.retry.message
            active.changed()
          } else if (decision.texts !== undefined) {
            completion = change(decision)
            active.changed()
          }
        },
      )
      if (retry !== undefined) break
    }
    return { retry }
  }

  /** Calls `onEnd` of the hooks. Never throws. */
  ended(event: EndEvent): void {
    for (const active of this.#active) {
      const failed = (error: unknown) => this.#report(active.hook.name, { error })
      try {
        const returned: unknown = active.hook.onEnd?.(event, this.#contextOf(active))
        if (isPromise(returned)) returned.then(undefined, failed)
      } catch (error) {
        failed(error)
      }
    }
  }

  #contextOf(active: ActiveHook): HookContext {
    return new HookCallContext(this.#request, this.#draft, this.#principal, active.state)
  }

  /**
   * Calls a function of a hook, and returns what `decide` makes of its result. Records its time and outcome. Throws refusals, and
   * failures of hooks that are `closed`.
   */
  #call<T>(
    active: ActiveHook,
    part: string,
    run: () => unknown,
    decide: (given: unknown) => T,
  ): T | undefined | Promise<T | undefined> {
    const startedAt = this.#clock.monotonic()
    const { hook } = active
    const ended = (failure?: { readonly error: unknown }) => {
      active.ms += this.#clock.monotonic() - startedAt
      this.#report(hook.name, failure)
    }
    const worked = (result: T): T => {
      ended()
      return result
    }
    const failed = (error: unknown): undefined => {
      const isRefusal = GatewayError.is(error)
      active.outcome = isRefusal ? 'refused' : 'failed'
      ended(isRefusal ? undefined : { error })
      if (isRefusal) throw error
      if (hook.onFailure !== 'open') {
        throw new Error(`\`${part}\` of the hook '${hook.name}' failed.`, { cause: error })
      }
      return undefined
    }
    try {
      const given = run()
      if (!isPromise(given)) return worked(decide(given))
      const { name, timeoutMs = 1_000 } = hook
      return withTimeout(this.#clock, timeoutMs, given, () => {
        throw new Error(`The hook '${name}' timed out after ${timeoutMs} ms (\`timeoutMs\`).`)
      })
        .then(decide)
        .then(worked, failed)
    } catch (error) {
      return failed(error)
    }
  }
}

/** A hook that applies to a request. */
class ActiveHook {
  readonly hook: Hook
  readonly state: Record<string, unknown> = Object.create(null) as Record<string, unknown>
  outcome: HookRecord['outcome'] = 'passed'
  /** Time in its functions, in milliseconds. */
  ms = 0

  constructor(hook: Hook) {
    this.hook = hook
  }

  changed(): void {
    if (this.outcome === 'passed') this.outcome = 'changed'
  }
}

/** A request as a hook reads it. A class: an object with a getter of its own costs a microsecond. */
class RequestView implements HookRequest {
  readonly body: JsonObject
  readonly outline: Outline
  #texts: readonly RequestText[] | undefined

  constructor(body: JsonObject, outline: Outline) {
    this.body = body
    this.outline = outline
  }

  get texts(): readonly RequestText[] {
    this.#texts ??= requestTexts(this.body)
    return this.#texts
  }
}

class HookCallContext implements HookContext {
  readonly requestId: string
  readonly principal: Principal
  readonly operation: Operation
  readonly dialect: string
  readonly model: string
  readonly user: string | undefined
  readonly stream: boolean
  readonly state: Record<string, unknown>
  readonly #signal: () => AbortSignal

  constructor(
    { requestId, user, signal }: HookedRequest,
    { operation, dialect, model, outline }: Draft,
    principal: Principal,
    state: Record<string, unknown>,
  ) {
    this.requestId = requestId
    this.principal = principal
    this.operation = operation
    this.dialect = dialect
    this.model = model
    this.user = user
    this.stream = outline.stream
    this.state = state
    this.#signal = signal
  }

  get signal(): AbortSignal {
    return this.#signal()
  }
}
