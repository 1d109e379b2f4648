import type { ProviderKeyEvent, TargetEvent } from '../../contracts/events.ts'
import type { ProviderKey } from '../../contracts/provider.ts'
import type { SharedTargetState } from '../../contracts/shared-health.ts'
import { type Cooldown, Cooldowns, isOfAccount, maxSharedCooldownMs } from './cooldowns.ts'
import type { RecordSettings } from './record-settings.ts'
import { type ReportedTarget, type SyncedRecord, SyncedTarget } from './synced-target.ts'

/** One key of a provider at one target, with its cooldowns. */
export class KeyState implements SyncedRecord {
  readonly id: string
  readonly weight: number
  readonly cooldowns = new Cooldowns()
  /** The cooldowns from `retry-after`. */
  readonly pauses = new Cooldowns()
  readonly #name: Pick<TargetEvent, 'provider' | 'model'>
  readonly #settings: RecordSettings
  readonly #changed: (now: number) => void
  #reported: ProviderKeyEvent['scope']
  #shared: SyncedTarget | undefined

  constructor(
    { id, weight }: ProviderKey,
    name: Pick<TargetEvent, 'provider' | 'model'>,
    settings: RecordSettings,
    changed: (now: number) => void,
  ) {
    this.id = id
    this.weight = weight
    this.#name = name
    this.#settings = settings
    this.#changed = changed
  }

  /** The key may be used: its cooldowns in other processes are read. */
  touch(): void {
    this.#share()?.touch()
  }

  cool(
    cooldown: Cooldown & { readonly principal: string },
    error: unknown,
    { own, retryAfter }: { readonly own: boolean; readonly retryAfter: boolean },
    now: number,
  ): void {
    this.cooldowns.add(cooldown, now)
    if (retryAfter) this.pauses.add(cooldown, now)
    if (!own) this.#share()?.cooldown(cooldown.principal, cooldown.until, this.cooldowns.forAll?.until)
    this.refresh(now, error)
  }

  lift(beganAt: number, now: number): void {
    this.cooldowns.lift(beganAt)
    this.refresh(now)
  }

  clear(now: number): void {
    this.cooldowns.clear()
    this.pauses.clear()
    this.refresh(now)
  }

  lastResortMs(now: number, principal: string, pacedMs: number): number {
    const pauseMs = this.pauses.waitMs(now, principal)
    const cooldown = this.cooldowns.of(principal)
    return cooldown !== undefined && isOfAccount(cooldown.reason) ? Math.max(pauseMs, pacedMs) : pauseMs
  }

  /** Reports the state where it has changed. Returns whether the key is in cooldown for a principal. */
  refresh(now: number, error?: unknown): boolean {
    const waitMs = this.cooldowns.waitMs(now, undefined)
    const isResting = waitMs > 0
    const scope = isResting ? (this.cooldowns.isForAll(now) ? 'all' : 'principal') : undefined
    if (scope === this.#reported) return isResting
    this.#reported = scope
    this.#settings.changed({
      type: 'provider_key',
      ...this.#name,
      key: this.id,
      state: isResting ? 'cooldown' : 'available',
      waitMs: Math.round(waitMs),
      reason: isResting ? this.cooldowns.longest?.reason : undefined,
      scope,
      error: isResting ? error : undefined,
    })
    return isResting
  }

  report(now: number): ReportedTarget {
    return { breaker: { openings: 0, openMs: 0 }, ...this.cooldowns.shared(now) }
  }

  adopt({ cooldownMs, pause }: SharedTargetState, _breaker: boolean, now: number): void {
    if (this.#settings.breaker === undefined) return
    this.#adopt(cooldownMs, undefined, now)
    if (pause !== undefined) this.#adopt(pause.ms, pause.principal, now)
    this.refresh(now)
    this.#changed(now)
  }

  #adopt(ms: number, principal: string | undefined, now: number): void {
    if (ms === 0) return
    const until = now + Math.min(ms, maxSharedCooldownMs)
    const cooldown: Cooldown = { principal, until, reason: 'rate_limited', since: now }
    this.cooldowns.add(cooldown, now)
    this.pauses.add(cooldown, now)
  }

  #share(): SyncedTarget | undefined {
    const { sharing } = this.#settings
    if (sharing === undefined) return undefined
    if (this.#shared?.sharing !== sharing) {
      const { provider, model } = this.#name
      // Not `provider/model/key`: callers may choose the names of models.
      this.#shared = new SyncedTarget(JSON.stringify([provider, model, this.id]), sharing, this)
    }
    return this.#shared
  }
}
