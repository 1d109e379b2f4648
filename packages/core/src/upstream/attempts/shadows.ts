import type { Lease, Limiter } from '../../contracts/limiter.ts'
import type { PartialUsage } from '../../contracts/provider.ts'
import type { CallTarget } from '../../contracts/route.ts'
import type { Caller, HealthCall, KeyUse } from '../../contracts/target-health.ts'
import { LifeEnded } from '../../errors/abort-reasons.ts'
import { GatewayError } from '../../errors/errors.ts'
import { isTimeout, UpstreamError } from '../../errors/upstream-error.ts'
import type { Lifetime } from '../../http/lifetime.ts'
import type { AttemptEntry } from '../../observability/attempt-log.ts'
import { memberOf } from '../../primitives/own-members.ts'
import {
  type CountedUsage,
  completionUsage,
  countedUsage,
  embedUsage,
  messageChars,
  type Prompt,
} from '../../usage/usage.ts'
import {
  type AttemptObserver,
  type CallContext,
  type CallDependencies,
  type ChunkSource,
  isStreamed,
} from '../call-context.ts'
import { admitCall, dependenciesOf } from '../call-options.ts'
import {
  type CallRequest,
  CountRequest,
  inputsOf,
  ModerateCallRequest,
  RerankCallRequest,
} from '../call-request.ts'
import { CompleteReply } from '../complete-reply.ts'
import { planCall } from '../plan-call.ts'
import { ProviderCall } from '../provider-call.ts'
import { maxShadows } from './running-shadows.ts'
import { observedError } from './upstream-attempt.ts'

/** Maximum characters to read of a shadow's stream: complete responses have the same limit. */
const maxChars = 32 * 1024 * 1024

/** Maximum reads per turn of the event loop: an in-process provider never waits. */
const readsPerTurn = 32

/** Why a shadow was not called. */
class ShadowSkipped extends Error {
  constructor(reason: string) {
    super(`The shadow was not called: ${reason}.`)
    this.name = 'ShadowSkipped'
    // V8's stack holds the frames' objects until it is read.
    this.stack = `ShadowSkipped: ${this.message}`
  }
}

/** Mirrors a request to other targets. Whatever they do, the request neither waits for them nor fails with them. */
export function callShadows(
  shadows: readonly CallTarget[],
  request: CallRequest,
  context: Pick<CallContext, 'caller' | 'random'>,
  observer: AttemptObserver,
  dependencies: CallDependencies,
): void {
  const { clock } = dependencies
  for (const target of shadows) {
    const entry = observer.attempts.create(target, clock.monotonic(), 'shadow')
    entry.inputs = inputsOf(request)
    const lifetime = observer.shadows.begin()
    if (lifetime === undefined) {
      entry.error = new ShadowSkipped(`${maxShadows} are under way already`)
      entry.endedAt = clock.monotonic()
      observer.discarded(entry, undefined)
      continue
    }
    // Drawn now: later, the order of the request's random numbers would depend on time.
    const drawn = memberOf(target.provider, 'keys') === undefined ? undefined : context.random()
    // After the request's own call.
    clock.setTimer(0, async () => {
      try {
        observer.discarded(
          entry,
          await new Shadow(target, entry, request, lifetime, observer, dependencies).call(
            context.caller,
            drawn,
          ),
        )
      } finally {
        observer.shadows.end(lifetime)
      }
    })
  }
}

/** One mirrored call. Its response is discarded. */
class Shadow {
  readonly #target: CallTarget
  readonly #entry: AttemptEntry
  readonly #given: CallRequest
  readonly #lifetime: Lifetime
  readonly #observer: AttemptObserver
  readonly #dependencies: CallDependencies
  #usage: PartialUsage | undefined
  #chars = 0
  #serviceTier: string | undefined
  #begun = false

  constructor(
    target: CallTarget,
    entry: AttemptEntry,
    request: CallRequest,
    lifetime: Lifetime,
    observer: AttemptObserver,
    dependencies: CallDependencies,
  ) {
    this.#target = target
    this.#entry = entry
    this.#given = request
    this.#lifetime = lifetime
    this.#observer = observer
    this.#dependencies = dependenciesOf(target, dependencies)
  }

  /**
   * Calls the target, and reads and discards the response. Resolves with its usage, if known. Never rejects. `drawn` is a
   * random number that chooses the key, for a provider with several.
   */
  async call(caller: Caller, drawn: number | undefined): Promise<CountedUsage | 'abandoned' | undefined> {
    const entry = this.#entry
    const { clock, timeouts } = this.#dependencies
    const call = new ProviderCall(
      this.#lifetime,
      this.#dependencies,
      clock.monotonic() + timeouts.totalMs,
      entry,
      caller,
    )
    let health: HealthCall | undefined
    let error: unknown
    let usage: CountedUsage | 'abandoned' | undefined
    try {
      const { callOptions } = this.#target
      if (callOptions?.limits !== undefined) entry.lease = await this.#admit(callOptions.limits)
      health = this.#begin(caller, drawn)
      usage = await this.#read(call, health)
    } catch (failure) {
      error = failure
      usage = this.#usedUntil(failure)
    }
    const now = clock.monotonic()
    entry.error = error
    entry.endedAt ??= now
    call.end(error === undefined)
    health?.ended(observedError(entry, error), now)
    const { usage: used, estimated } = usage === 'abandoned' || usage === undefined ? unknown : usage
    const { responseModel } = entry
    entry.span?.end(error, { usage: used, usageEstimated: estimated, responseModel })
    return usage
  }

  async #admit(limiter: Limiter): Promise<Lease> {
    try {
      return await admitCall(this.#target, limiter, this.#lifetime, this.#observer, this.#dependencies)
    } catch (error) {
      if (this.#lifetime.ended !== undefined) throw new LifeEnded(this.#lifetime.ended)
      if (!GatewayError.is(error)) throw error
      const isKnown = error.reason !== 'limiter_unavailable'
      throw new ShadowSkipped(`the limits of its target ${isKnown ? 'are exceeded' : 'cannot be checked'}`)
    }
  }

  #begin(caller: Caller, drawn: number | undefined): HealthCall {
    const { health, clock } = this.#dependencies
    const keys: KeyUse | undefined =
      drawn === undefined ? undefined : { random: () => drawn, failed: [], forbidden: new Map() }
    const target = this.#target
    const call = health.of(target).begin(clock.monotonic(), false, caller, keys, target.callOptions)
    if ('ended' in call) {
      if (keys !== undefined) this.#entry.key = call.key
      return call
    }
    throw new ShadowSkipped(
      call.state === 'cooldown' ? 'its target is in cooldown' : 'the circuit breaker of its target is open',
    )
  }

  async #read(providerCall: ProviderCall, health: HealthCall): Promise<CountedUsage> {
    const { unsupportedParameters, clock } = this.#dependencies
    const { key } = this.#entry
    const { target } = this.#entry
    const { planned } = planCall(this.#given, target, { unsupportedParameters, key })
    const prompt = planned.form === 'embed' ? planned.part : planned.request
    const answer = await providerCall.run(target.provider, planned)
    const whole = !isStreamed(answer)
    this.#entry.endedAt = clock.monotonic()
    health.answered(this.#entry.endedAt, whole)
    if (whole) {
      if (!(answer instanceof CompleteReply))
        return embedUsage(
          answer.promptTokens,
          prompt,
          'searchUnits' in answer ? answer.searchUnits : undefined,
        )
      this.#entry.setResponseModel(answer.completion.model)
      return completionUsage(answer.completion, prompt)
    }
    await this.#drop(answer)
    return countedUsage(this.#usage, prompt, this.#chars, true, 0, this.#serviceTier)
  }

  async #drop(source: ChunkSource): Promise<void> {
    for (let reads = 1; this.#chars <= maxChars; reads++) {
      const { done, value } = await source.next()
      if (done === true) return
      this.#begun = true
      if (reads === 1) this.#entry.span?.firstContent()
      for (const { choices, usage, model, service_tier } of value) {
        if (model !== undefined) this.#entry.setResponseModel(model)
        if (service_tier !== undefined) this.#serviceTier = service_tier
        if (usage !== undefined) this.#usage = { ...this.#usage, ...usage }
        for (const { delta } of choices) this.#chars += messageChars(delta)
      }
      if (reads % readsPerTurn === 0) await this.#turn()
    }
    throw new UpstreamError(`The upstream's answer is larger than ${maxChars} characters.`, {
      kind: 'garbled',
    })
  }

  /** Yields to other work. */
  #turn(): Promise<void> {
    return new Promise(resolve => this.#dependencies.clock.setTimer(0, resolve))
  }

  /** Returns the usage of a call that failed; `undefined` where the upstream did not take it. */
  #usedUntil(failure: unknown): CountedUsage | 'abandoned' | undefined {
    const cutOff = (failure instanceof LifeEnded || isTimeout(failure)) && this.#entry.called
    if (cutOff && this.#chars === 0) return 'abandoned'
    if (!this.#begun) return undefined
    const prompt = promptOf(this.#given)
    return countedUsage(this.#usage, prompt, this.#chars, false, 0, this.#serviceTier)
  }
}

function promptOf(given: CallRequest): Prompt {
  const isWrapped =
    given instanceof CountRequest ||
    given instanceof RerankCallRequest ||
    given instanceof ModerateCallRequest
  return isWrapped ? given.request : given
}

const unknown = { usage: undefined, estimated: false }
