import type { SharedPause, SharedTargetChange, SharedTargetState } from '../../contracts/shared-health.ts'
import { probeMs } from './breaker.ts'

/** The state of a target that is shared. */
export interface ReportedTarget {
  readonly breaker: NonNullable<SharedTargetChange['breaker']>
  readonly cooldownMs: number
  readonly pause: SharedPause | undefined
}

/** A target's health, as it is shared. */
export interface SyncedRecord {
  /** Returns the state to share. */
  report(now: number): ReportedTarget
  /** Takes the state of another process. `breaker`: its breaker was opened or closed there. */
  adopt(state: SharedTargetState, breaker: boolean, now: number): void
}

/** How long a claim to probe holds before the probe has begun, in milliseconds. */
const claimMs = 15_000

/** How much earlier a claim is no longer used, in milliseconds: claiming it took time. */
const marginMs = 1_000

/** How soon a claim is retried, in milliseconds. */
const retryClaimMs = 1_000

/** How much longer a cooldown has to be to be shared again, in milliseconds: each of many 429s has one. */
const minChangeMs = 250

/** Synchronizes targets. */
interface Sharer {
  /** Whether the store works. */
  readonly working: boolean
  /** The target is used: it is read soon. Returns false where too many wait for that. */
  touch(target: SyncedTarget): boolean
  /** The target has changes to write. */
  changed(target: SyncedTarget): void
  claim(id: string, ms: number): Promise<boolean>
  releaseProbe(id: string): Promise<void>
}

/** A target whose health is shared with other processes. */
export class SyncedTarget {
  readonly id: string
  readonly sharing: Sharer
  readonly #record: SyncedRecord
  /** Whether it is read with the next batch. */
  touched = false
  /** The generation that was adopted last. */
  #generation: number | undefined
  /** Counts local changes: a state that was read before one is outdated. */
  #version = 0
  #breakerChanged = false
  /** The cooldowns that were written or read: for all principals, and for one. */
  #allCoolUntil = 0
  #cooldownUntil = 0
  #cooledFor: string | undefined
  #cooldown = false
  #claimedUntil = 0
  #claiming = false
  #claimAt = 0

  constructor(id: string, sharing: Sharer, record: SyncedRecord) {
    this.id = id
    this.sharing = sharing
    this.#record = record
  }

  get version(): number {
    return this.#version
  }

  /** The target is used. */
  touch(): void {
    if (!this.touched) this.touched = this.sharing.touch(this)
  }

  /** Whether a probe may begin. Where that is not known yet, claims it: a later call returns true. */
  mayProbe(now: number): boolean {
    if (!this.sharing.working || now < this.#claimedUntil) return true
    if (!this.#claiming && now >= this.#claimAt) void this.#claim(now)
    return false
  }

  /** The probe begins. */
  probing(): void {
    this.#claimedUntil = 0
    if (this.sharing.working) void this.sharing.claim(this.id, probeMs)
  }

  /** The probe was inconclusive: any process may make another. */
  releaseProbe(): void {
    this.#claimAt = 0
    if (this.sharing.working) void this.sharing.releaseProbe(this.id)
  }

  breakerChanged(): void {
    this.#breakerChanged = true
    this.#changed()
  }

  /** The target has a cooldown for a principal; `forAll` is when the one for all principals ends. */
  cooldown(principal: string, until: number, forAll = 0): void {
    const isNewForAll = forAll - this.#allCoolUntil >= minChangeMs
    const isKnown = principal === this.#cooledFor && until - this.#cooldownUntil < minChangeMs
    if (!isNewForAll && (isKnown || until - this.#allCoolUntil < minChangeMs)) return
    this.#allCoolUntil = Math.max(this.#allCoolUntil, forAll)
    this.#cooldownUntil = until
    this.#cooledFor = principal
    this.#cooldown = true
    this.#changed()
  }

  /** Returns the changes to write, and marks them as written. */
  change(now: number): SharedTargetChange {
    const { breaker, cooldownMs, pause } = this.#record.report(now)
    const change: SharedTargetChange = {
      id: this.id,
      ...(this.#breakerChanged && { breaker }),
      ...(this.#cooldown && cooldownMs > 0 && { cooldownMs }),
      ...(this.#cooldown && pause !== undefined && { pause }),
    }
    this.#breakerChanged = false
    this.#cooldown = false
    return change
  }

  /** Its changes were written as this generation. */
  written(generation: number, version: number): void {
    if (version === this.#version) this.#generation = generation
    this.#version++
  }

  /** Its changes could not be written: they have to be written again. */
  unsent({ breaker }: SharedTargetChange): void {
    if (breaker !== undefined) this.#breakerChanged = true
  }

  /** Takes the state of other processes, as of a version. */
  read(state: SharedTargetState, version: number, now: number): void {
    if (version !== this.#version) return
    const known = this.#generation
    // An opening of this process that is not written yet is newer.
    const changed = !this.#breakerChanged && state.generation !== known
    if (changed) {
      this.#generation = state.generation
      this.#forgetClaim()
    }
    this.#allCoolUntil = Math.max(this.#allCoolUntil, now + state.cooldownMs)
    // The first state that is read may be older than the local one: it closes nothing.
    const breaker = changed && (known !== undefined || state.openings > 0)
    if (breaker || state.cooldownMs > 0 || state.pause !== undefined) this.#record.adopt(state, breaker, now)
  }

  #changed(): void {
    this.#forgetClaim()
    this.sharing.changed(this)
  }

  #forgetClaim(): void {
    this.#version++
    this.#claimedUntil = 0
    this.#claimAt = 0
  }

  async #claim(now: number): Promise<void> {
    const version = this.#version
    this.#claiming = true
    const claimed = await this.sharing.claim(this.id, claimMs)
    this.#claiming = false
    if (version !== this.#version) return
    if (claimed) this.#claimedUntil = now + claimMs - marginMs
    else this.#claimAt = now + retryClaimMs
  }
}
