import type { PartialUsage, Target } from '../../contracts/provider.ts'
import type { Caller, HealthCall } from '../../contracts/target-health.ts'
import { LifeEnded } from '../../errors/abort-reasons.ts'
import { UpstreamError } from '../../errors/upstream-error.ts'
import type { Lifetime } from '../../http/lifetime.ts'
import { AttemptEntry, isTimeout } from '../../observability/attempt-log.ts'
import type { ChatRequest } from '../../protocol/chat.ts'
import { type CountedUsage, completionUsage, countedUsage, messageChars } from '../../usage/usage.ts'
import { overrideInput } from '../../validation/overridden-input.ts'
import { Attempt } from '../attempt.ts'
import type { AttemptObserver, CallDependencies } from '../call-context.ts'
import type { ChunkSource } from './peeked-stream.ts'
import { maxShadows } from './running-shadows.ts'
import { isIterator, observedError } from './upstream-attempt.ts'

/** The most of a shadow's answer that is read, in characters: that of a whole answer is bounded likewise. */
const mostChars = 32 * 1024 * 1024

/** So many reads are made before others have their turn: an answer that is made in process never waits. */
const readsATurn = 32

/** Why a shadow was not asked. */
class ShadowSkipped extends Error {
  constructor(reason: string) {
    super(`The shadow was not asked: ${reason}.`)
    this.name = 'ShadowSkipped'
    // Until it is read, an engine's stack holds what it went through.
    this.stack = `ShadowSkipped: ${this.message}`
  }
}

/** Asks other places the same. Whatever they do, the request neither waits for them nor hears of them. */
export function callShadows(
  shadows: readonly Target[],
  input: ChatRequest,
  attempts: AttemptObserver,
  world: CallDependencies,
): void {
  for (const target of shadows) {
    const entry = new AttemptEntry(target, world.clock.monotonic(), 'shadow', 0, attempts.log.traced)
    const lifetime = attempts.lives.begin()
    if (lifetime === undefined) {
      entry.error = new ShadowSkipped(`${maxShadows} are being asked already`)
      entry.endedAt = world.clock.monotonic()
      attempts.discarded(entry, undefined)
      continue
    }
    // Not before the request itself is on its way.
    world.clock.setTimer(0, async () => {
      try {
        attempts.discarded(entry, await new Shadow(entry, input, lifetime, world).ask(attempts.caller))
      } finally {
        attempts.lives.end(lifetime)
      }
    })
  }
}

/** One call whose answer is dropped. */
class Shadow {
  readonly #entry: AttemptEntry
  readonly #given: ChatRequest
  readonly #lifetime: Lifetime
  readonly #world: CallDependencies
  #usage: PartialUsage | undefined
  #chars = 0
  #serviceTier: string | undefined
  #begun = false

  constructor(entry: AttemptEntry, input: ChatRequest, lifetime: Lifetime, world: CallDependencies) {
    this.#entry = entry
    this.#given = input
    this.#lifetime = lifetime
    this.#world = world
  }

  /** Asks, reads the answer to its end and drops it. Gives what that used, as far as it is known. Never rejects. */
  async ask(caller: Caller): Promise<CountedUsage | 'abandoned' | undefined> {
    const entry = this.#entry
    const { clock, timeouts } = this.#world
    const attempt = new Attempt(
      this.#lifetime,
      this.#world,
      clock.monotonic() + timeouts.totalMs,
      entry,
      caller,
    )
    let health: HealthCall | undefined
    let error: unknown
    let usage: CountedUsage | 'abandoned' | undefined
    try {
      health = this.#begin(caller)
      usage = await this.#read(attempt, health)
    } catch (failure) {
      error = failure
      usage = this.#usedUntil(failure)
    }
    const now = clock.monotonic()
    entry.error = error
    entry.endedAt ??= now
    attempt.end(error === undefined)
    health?.ended(observedError(entry, error), now)
    const { usage: used, estimated } = usage === 'abandoned' || usage === undefined ? unknown : usage
    const { responseModel } = entry
    entry.span?.end(error, { usage: used, usageEstimated: estimated, responseModel })
    return usage
  }

  #begin(caller: Caller): HealthCall {
    const { health, clock } = this.#world
    const call = health.of(this.#entry.target).begin(clock.monotonic(), false, caller)
    if ('ended' in call) return call
    throw new ShadowSkipped(
      call.state === 'cooldown' ? 'its target asked for a pause' : 'its target is left alone',
    )
  }

  async #read(attempt: Attempt, health: HealthCall): Promise<CountedUsage> {
    const { unsupportedParameters, clock } = this.#world
    const { provider, model, capabilities, parameters } = this.#entry.target
    const input = parameters === undefined ? this.#given : overrideInput(this.#given, parameters).input
    const call = { input, model, unsupportedParameters, ...(capabilities && { capabilities }) }
    const answer = await attempt.run(provider, call, nobody)
    const whole = !isIterator(answer)
    this.#entry.endedAt = clock.monotonic()
    health.answered(this.#entry.endedAt, whole)
    if (whole) {
      this.#entry.setResponseModel(answer.model)
      return completionUsage(answer, input)
    }
    await this.#drop(answer)
    return countedUsage(this.#usage, input, this.#chars, true, 0, this.#serviceTier)
  }

  async #drop(source: ChunkSource): Promise<void> {
    for (let reads = 1; this.#chars <= mostChars; reads++) {
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
      if (reads % readsATurn === 0) await this.#turn()
    }
    throw new UpstreamError(`The upstream's answer is larger than ${mostChars} characters.`, {
      kind: 'garbled',
    })
  }

  /** Lets others have their turn. */
  #turn(): Promise<void> {
    return new Promise(resolve => this.#world.clock.setTimer(0, resolve))
  }

  /** What was used by a call that failed: nothing, where the upstream did not take it. */
  #usedUntil(failure: unknown): CountedUsage | 'abandoned' | undefined {
    const cutOff = (failure instanceof LifeEnded || isTimeout(failure)) && this.#entry.called
    if (cutOff && this.#chars === 0) return 'abandoned'
    if (!this.#begun) return undefined
    return countedUsage(this.#usage, this.#given, this.#chars, false, 0, this.#serviceTier)
  }
}

const unknown = { usage: undefined, estimated: false }
const nobody = { adjusted: () => {} }
