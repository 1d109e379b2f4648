import type { SharedHealth, SharedTargetChange, SharedTargetState } from '../contracts/shared-health.ts'
import type { UnavailableReason } from '../errors/unavailable-reason.ts'

interface TargetState {
  generation: number
  openings: number
  openUntil: number
  openFor: string | undefined
  partial: boolean
  reason: UnavailableReason | undefined
  cooldownUntil: number
  pauseFor: string | undefined
  pauseUntil: number
  probe: { readonly holder: string; readonly until: number } | undefined
}

/** How many targets are stored: the least recently changed one is dropped. Callers may name any number of models. */
const maxTargets = 10_000

/**
 * Creates the health of targets that processes share in the memory of one of them, as `redisHealth` shares it in Redis.
 *
 * @param now - returns milliseconds of a monotonic clock.
 */
export function memoryHealth(now: () => number): SharedHealth {
  return new HealthInMemory(now)
}

class HealthInMemory implements SharedHealth {
  readonly #targets = new Map<string, TargetState>()
  readonly #now: () => number
  #generation = 0

  constructor(now: () => number) {
    this.#now = now
  }

  async read(ids: readonly string[]): Promise<readonly (SharedTargetState | undefined)[]> {
    const now = this.#now()
    return ids.map(id => {
      const target = this.#targets.get(id)
      return target && stateOf(target, now)
    })
  }

  async write(changes: readonly SharedTargetChange[]): Promise<readonly number[]> {
    const now = this.#now()
    return changes.map(change => this.#apply(change, now))
  }

  async acquireProbe(id: string, holder: string, ms: number): Promise<boolean> {
    const now = this.#now()
    const target = this.#targets.get(id) ?? newTarget()
    const { probe } = target
    if (probe !== undefined && probe.until > now && probe.holder !== holder) return false
    target.probe = { holder, until: now + ms }
    this.#keep(id, target)
    return true
  }

  async releaseProbe(id: string, holder: string): Promise<void> {
    const target = this.#targets.get(id)
    if (target?.probe?.holder === holder) target.probe = undefined
  }

  #apply({ id, breaker, cooldownMs = 0, pause }: SharedTargetChange, now: number): number {
    const target = this.#targets.get(id) ?? newTarget()
    if (breaker !== undefined) {
      // Of all targets, so that none is used again after its target was dropped.
      target.generation = ++this.#generation
      target.openings = breaker.openings
      target.openUntil = now + breaker.openMs
      target.openFor = breaker.openFor
      target.partial = breaker.partial === true
      target.reason = breaker.reason
      target.probe = undefined
    }
    let cooldownUntil = cooldownMs > 0 ? now + cooldownMs : 0
    if (pause !== undefined && pause.ms > 0) {
      const until = now + pause.ms
      const longest = target.pauseUntil
      // If two principals are in cooldown, all are.
      if (target.pauseFor !== pause.principal && longest > now) {
        cooldownUntil = Math.max(cooldownUntil, Math.min(until, longest))
      }
      if (until > longest) {
        target.pauseUntil = until
        target.pauseFor = pause.principal
      }
    }
    target.cooldownUntil = Math.max(target.cooldownUntil, cooldownUntil)
    this.#keep(id, target)
    return target.generation
  }

  #keep(id: string, target: TargetState): void {
    this.#targets.delete(id)
    this.#targets.set(id, target)
    if (this.#targets.size <= maxTargets) return
    const [oldest] = this.#targets.keys()
    if (oldest !== undefined) this.#targets.delete(oldest)
  }
}

function newTarget(): TargetState {
  return {
    generation: 0,
    openings: 0,
    openUntil: 0,
    openFor: undefined,
    partial: false,
    reason: undefined,
    cooldownUntil: 0,
    pauseFor: undefined,
    pauseUntil: 0,
    probe: undefined,
  }
}

function stateOf(target: TargetState, now: number): SharedTargetState {
  const { generation, openings, openFor, partial, reason, pauseFor } = target
  const pauseMs = Math.max(0, target.pauseUntil - now)
  return {
    generation,
    openings,
    openMs: Math.max(0, target.openUntil - now),
    ...(openFor !== undefined && { openFor }),
    ...(partial && { partial }),
    ...(reason !== undefined && { reason }),
    cooldownMs: Math.max(0, target.cooldownUntil - now),
    ...(pauseFor !== undefined && pauseMs > 0 && { pause: { principal: pauseFor, ms: pauseMs } }),
  }
}
