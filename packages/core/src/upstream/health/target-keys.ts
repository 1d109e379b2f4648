import type { TargetEvent } from '../../contracts/events.ts'
import type { ProviderKey } from '../../contracts/provider.ts'
import type { Caller, KeyHealth, KeyUse } from '../../contracts/target-health.ts'
import {
  type UnavailableReason,
  unavailableReason,
  unavailableReasons,
} from '../../errors/unavailable-reason.ts'
import { type AttemptClassification, cooldownMs, isOfKey } from './classify-outcome.ts'
import type { Cooldown } from './cooldowns.ts'
import { KeyState } from './key-state.ts'
import type { RecordSettings } from './record-settings.ts'
import type { TargetCall } from './target-call.ts'

/** The digest of no principal: it stands for all that have no cooldown of their own. */
const others = ''

/** What makes a target with keys unavailable: all of them are in cooldown. */
export type KeysCooldown = Pick<Cooldown, 'until' | 'reason'>

/**
 * The keys of one target. A 401, 402 or 429 is a cooldown of the key that it was sent with, under the rules for the cooldowns of
 * a target. A 403 is one only if another key is accepted for the same request, because some vendors answer it to a prompt.
 */
export class TargetKeys {
  readonly #keys: readonly KeyState[]
  readonly #settings: RecordSettings
  /** Whether a key may be in cooldown. */
  #anyResting = false

  /** `changed` is called when another process has reported a cooldown. */
  constructor(
    given: readonly ProviderKey[],
    name: Pick<TargetEvent, 'provider' | 'model'>,
    settings: RecordSettings,
    changed: (now: number) => void,
  ) {
    this.#settings = settings
    this.#keys = given.map(
      key =>
        new KeyState(key, name, settings, now => {
          this.#anyResting = true
          changed(now)
        }),
    )
  }

  /** Whether dropping them would lose something. */
  get matters(): boolean {
    return this.#anyResting
  }

  /**
   * Chooses the key of a call, at random by weight: of those that are not in cooldown for its principal, first those that have
   * not failed for its request. If all are in cooldown, the call is a last resort: then one that the vendor did not limit.
   */
  choose(now: number, caller: Caller, use?: KeyUse): KeyState {
    for (const key of this.#keys) key.touch()
    const random = use?.random ?? this.#settings.random
    const failed = use?.failed ?? none
    this.#refresh(now)
    if (!this.#anyResting && failed.length === 0) return pickByWeight(this.#keys, random)
    const available = this.#availableTo(now, caller)
    const usable = available.length > 0 ? available : leastLimited(this.#keys, now, caller)
    const fresh = usable.filter(({ id }) => !failed.includes(id))
    return pickByWeight(fresh.length > 0 ? fresh : usable, random)
  }

  /**
   * A call failed because of its key, by its classification. Sets whether the request may use another one. Returns what the
   * failure says of the target itself.
   */
  failed(
    call: TargetCall,
    classification: AttemptClassification,
    error: unknown,
    now: number,
  ): AttemptClassification {
    const { caller, keys: use } = call
    const key = call.keyState
    if (key === undefined || !isOfKey(classification)) return classification
    if (classification.kind === 'cooldown' && this.#settings.breaker !== undefined) {
      const { ms, own, retryAfter } = classification
      key.cool(cooldownOf(caller, error, now, ms), error, { own, retryAfter }, now)
      this.#anyResting = true
    }
    if (use !== undefined) {
      if (!use.failed.includes(key.id)) use.failed.push(key.id)
      if (classification.kind === 'failure') use.forbidden.set(key.id, error)
      const left = this.#availableTo(now, caller)
      call.hasOtherKey = !call.hasAnswered && left.some(({ id }) => !use.failed.includes(id))
    }
    return classification.kind === 'cooldown' || call.hasOtherKey ? neutral : classification
  }

  /** A call answers: its key is good, and those that got a 403 for the same request are not. */
  answered({ keyState, caller, keys: use, beganAt }: TargetCall, now: number): void {
    if (use !== undefined && use.forbidden.size > 0 && this.#settings.breaker !== undefined) {
      for (const key of this.#keys) {
        const error = use.forbidden.get(key.id)
        if (error === undefined || key === keyState) continue
        key.cool(
          cooldownOf(caller, error, now, cooldownMs.most),
          error,
          { own: true, retryAfter: false },
          now,
        )
        this.#anyResting = true
      }
      use.forbidden.clear()
    }
    if (this.#anyResting) keyState?.lift(beganAt, now)
  }

  /**
   * Returns the cooldown of a principal for which all keys are in cooldown; without one, that of any. It ends with the first
   * one, and has of their reasons the one that usually passes soonest.
   */
  cooldown(principal: string | undefined): KeysCooldown | undefined {
    if (!this.#anyResting) return undefined
    if (principal !== undefined) return this.#cooldownOf(principal)
    let longest = this.#cooldownOf(others)
    for (const { cooldowns } of this.#keys) {
      const own = cooldowns.longest?.principal
      const cooldown = own === undefined ? undefined : this.#cooldownOf(own)
      if (cooldown !== undefined && (longest === undefined || cooldown.until > longest.until))
        longest = cooldown
    }
    return longest
  }

  /** Whether all keys are in cooldown for all principals. */
  areRestingForAll(now: number): boolean {
    return this.#keys.every(({ cooldowns }) => cooldowns.isForAll(now))
  }

  /** Returns how long the vendor limits all keys for a principal by `retry-after`, in milliseconds. */
  pauseMs(now: number, principal: string): number {
    return Math.min(...this.#keys.map(({ pauses }) => pauses.waitMs(now, principal)))
  }

  /**
   * Returns when the first key may be used as the last resort, in milliseconds. `pacedMs`: when one may that was rejected, or
   * has no credit.
   */
  lastResortMs(now: number, principal: string, pacedMs: number): number {
    return Math.min(...this.#keys.map(key => key.lastResortMs(now, principal, pacedMs)))
  }

  view(now: number, caller: Caller | undefined): readonly KeyHealth[] {
    this.#refresh(now)
    const principal = this.#anyResting ? caller?.digest : undefined
    return this.#keys.map(({ id, cooldowns }) => {
      const waitMs = cooldowns.waitMs(now, principal)
      return waitMs === 0 ? { id, waitMs } : { id, waitMs, reason: cooldowns.of(principal)!.reason }
    })
  }

  /** Ends all cooldowns. */
  clear(now: number): void {
    for (const key of this.#keys) key.clear(now)
    this.#anyResting = false
  }

  #availableTo(now: number, { digest }: Caller): readonly KeyState[] {
    return this.#keys.filter(({ cooldowns }) => cooldowns.waitMs(now, digest) === 0)
  }

  #cooldownOf(principal: string): KeysCooldown | undefined {
    let until = Number.POSITIVE_INFINITY
    const reasons: UnavailableReason[] = []
    for (const { cooldowns } of this.#keys) {
      const cooldown = cooldowns.of(principal)
      if (cooldown === undefined) return undefined
      until = Math.min(until, cooldown.until)
      reasons.push(cooldown.reason)
    }
    return { until, reason: unavailableReasons.find(reason => reasons.includes(reason)) ?? 'overloaded' }
  }

  /** Reports the cooldowns that have ended. */
  #refresh(now: number): void {
    if (!this.#anyResting) return
    let anyResting = false
    for (const key of this.#keys) if (key.refresh(now)) anyResting = true
    this.#anyResting = anyResting
  }
}

const none: readonly string[] = []
const neutral: AttemptClassification = { kind: 'neutral' }

function cooldownOf({ digest }: Caller, error: unknown, now: number, ms: number) {
  return { principal: digest, until: now + ms, reason: unavailableReason(error), since: now }
}

/** Returns the keys that the vendor limits for the shortest time by `retry-after`. */
function leastLimited(keys: readonly KeyState[], now: number, { digest }: Caller): readonly KeyState[] {
  const waits = keys.map(({ pauses }) => pauses.waitMs(now, digest))
  const least = Math.min(...waits)
  return keys.filter((_, index) => waits[index] === least)
}

/** Returns one of at least one entry, at random by weight; if all weights are 0, each with the same probability. */
export function pickByWeight<T extends { readonly weight: number }>(
  entries: readonly T[],
  random: () => number,
): T {
  if (entries.length === 1) return entries[0]!
  let total = 0
  for (const { weight } of entries) total += weight
  if (total === 0) return entries[Math.floor(random() * entries.length)]!
  let at = random() * total
  let last = entries[0]!
  for (const entry of entries) {
    if (entry.weight === 0) continue
    last = entry
    at -= entry.weight
    if (at < 0) return entry
  }
  // Sums of fractions may exceed the total.
  return last
}
