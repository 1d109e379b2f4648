import type { SharedPause, SharedTargetChange, SharedTargetState } from '../../contracts/shared-health.ts'
import { probeMs } from './breaker.ts'

/** What there is to tell of a target, in the words of the contract. */
export interface ReportedTarget {
  readonly breaker: NonNullable<SharedTargetChange['breaker']>
  readonly cooldownMs: number
  readonly pause: SharedPause | undefined
}

/** A record as others know it. */
export interface SyncedRecord {
  told(now: number): ReportedTarget
  /** Another process tells more than is known here. `breaker`: its breaker was opened or closed there. */
  adopt(state: SharedTargetState, breaker: boolean, now: number): void
}

/** How long a claim to probe holds before the probe has begun, in milliseconds. */
const claimMs = 15_000

/** So much sooner it is no longer used, in milliseconds: to ask for it took time. */
const marginMs = 1_000

/** How soon to ask for it again, in milliseconds. */
const againMs = 1_000

/** A pause is told again only where it is longer by so much, in milliseconds: each of many refusals asks for one. */
const tellableMs = 250

/** Where a target is shared. */
interface Sharer {
  /** Whether the store works. */
  readonly working: boolean
  /** The target is asked for: it is read soon, where not too many wait for that. Tells whether it is. */
  touch(target: SyncedTarget): boolean
  /** The target has something to tell. */
  changed(target: SyncedTarget): void
  claim(id: string, ms: number): Promise<boolean>
  letGo(id: string): Promise<void>
}

/** One target, as it is shared. */
export class SyncedTarget {
  readonly id: string
  readonly sharing: Sharer
  readonly #record: SyncedRecord
  /** It is read with the next ones that are. */
  touched = false
  /** Of what the record was told last. */
  #generation: number | undefined
  /** Counts what happens here: what was read before it is old. */
  #version = 0
  #breakerChanged = false
  /** The pauses that were told, or heard of: that of all, and that of one principal. */
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

  /** It is asked for. */
  touch(): void {
    if (!this.touched) this.touched = this.sharing.touch(this)
  }

  /** Whether a probe may begin. Where nobody knows yet, it is asked for, and known a little later. */
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

  /** The probe says nothing: anybody may make another. */
  letGo(): void {
    this.#claimAt = 0
    if (this.sharing.working) void this.sharing.letGo(this.id)
  }

  breakerChanged(): void {
    this.#breakerChanged = true
    this.#changed()
  }

  /** It asked a principal for a pause; `forAll` is when that of all ends, where there is one. */
  cools(principal: string, until: number, forAll = 0): void {
    const isNewForAll = forAll - this.#allCoolUntil >= tellableMs
    const isKnown = principal === this.#cooledFor && until - this.#cooldownUntil < tellableMs
    if (!isNewForAll && (isKnown || until - this.#allCoolUntil < tellableMs)) return
    this.#allCoolUntil = Math.max(this.#allCoolUntil, forAll)
    this.#cooldownUntil = until
    this.#cooledFor = principal
    this.#cooldown = true
    this.#changed()
  }

  /** What is to be told, which it is with that. */
  change(now: number): SharedTargetChange {
    const { breaker, cooldownMs, pause } = this.#record.told(now)
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

  /** What it told has become this generation. */
  written(generation: number, version: number): void {
    if (version === this.#version) this.#generation = generation
    this.#version++
  }

  /** What it told was not heard: it has to be told again. */
  unheard({ breaker }: SharedTargetChange): void {
    if (breaker !== undefined) this.#breakerChanged = true
  }

  /** What is known by others, as of a version. */
  read(state: SharedTargetState, version: number, now: number): void {
    if (version !== this.#version) return
    const known = this.#generation
    // What was opened here and is not told yet is newer.
    const changed = !this.#breakerChanged && state.generation !== known
    if (changed) {
      this.#generation = state.generation
      this.#forgetClaim()
    }
    this.#allCoolUntil = Math.max(this.#allCoolUntil, now + state.cooldownMs)
    // The first that is heard of may be older than what is known here: it closes nothing.
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
    else this.#claimAt = now + againMs
  }
}
