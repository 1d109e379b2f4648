import type { Timer } from '../../clock/clock.ts'
import type {
  SharedHealth,
  SharedPause,
  SharedTargetChange,
  SharedTargetState,
} from '../../contracts/shared-health.ts'
import { freshId } from '../../primitives/random.ts'
import { StoreBreaker } from '../../stores/store-breaker.ts'
import { StoreClient } from '../../stores/store-client.ts'
import { defaultStoreTimeoutMs } from '../../stores/store-timeout.ts'
import type { HealthSettings } from './health-options.ts'
import type { SyncedTarget } from './synced-target.ts'

/** How often the state of other processes is read, in milliseconds, while targets are used. */
const readEveryMs = 1_000

/** How many targets one read or write has, and how many are read per interval. */
const max = { perBatch: 100, perInterval: 1_000 }

/** How many changes wait for a store that fails. */
const maxUnsent = 1_000

/** How many targets wait to be read: callers may name any number. */
const maxTouched = 10_000

/**
 * Synchronizes the health of targets with other processes. No request waits for it. It reads nothing while no target is
 * used, and its timers do not keep the process alive.
 */
export class HealthSync {
  readonly store: SharedHealth
  readonly #settings: Pick<HealthSettings, 'clock' | 'changed'>
  readonly #calls: StoreClient
  readonly #holder: string
  readonly #touched = new Set<SyncedTarget>()
  readonly #changes = new Set<SyncedTarget>()
  readonly #unsent = new Set<SyncedTarget>()
  #timer: Timer | undefined
  #readAt = Number.NEGATIVE_INFINITY
  #reading = false
  #writing = false

  /** `holder` identifies this process. */
  constructor(
    store: SharedHealth,
    settings: Pick<HealthSettings, 'clock' | 'changed' | 'storeTimeoutMs'>,
    holder: string = freshId(),
  ) {
    this.store = store
    this.#settings = settings
    this.#calls = new StoreClient({
      name: 'shared health',
      timeoutMs: settings.storeTimeoutMs ?? defaultStoreTimeoutMs,
      timeoutOption: 'storeTimeoutMs',
      clock: settings.clock,
      breaker: new StoreBreaker({
        clock: settings.clock,
        changed: (state, error) => settings.changed({ type: 'store', store: 'health', state, error }),
        // It is read once a second anyway, which shows whether it works.
        failuresToOpen: 1,
        windowMs: 0,
        firstProbeMs: 0,
        lastProbeMs: 0,
      }),
      maxUnanswered: 8,
    })
    this.#holder = holder
  }

  /** Sets the timeout of further operations, in milliseconds; `undefined`: the default. */
  setTimeoutMs(ms: number | undefined): void {
    this.#calls.timeoutMs = ms ?? defaultStoreTimeoutMs
  }

  get working(): boolean {
    return this.#calls.usable
  }

  /** The target is used: it is read soon. Returns false where too many wait for that. */
  touch(target: SyncedTarget): boolean {
    this.#plan()
    if (this.#touched.size >= maxTouched) return false
    this.#touched.add(target)
    return true
  }

  /** The target has changes to write. */
  changed(target: SyncedTarget): void {
    this.#changes.add(target)
    if (!this.#writing) void this.#write()
  }

  async claim(id: string, ms: number): Promise<boolean> {
    const claimed = await this.#calls.callOrProbe(() => this.store.acquireProbe(id, this.#holder, ms))
    return claimed.ok && claimed.value === true
  }

  async releaseProbe(id: string): Promise<void> {
    await this.#calls.callOrProbe(() => this.store.releaseProbe(id, this.#holder))
  }

  #plan(): void {
    if (this.#timer !== undefined || this.#reading) return
    const ms = this.#readAt + readEveryMs - this.#settings.clock.monotonic()
    this.#timer = this.#settings.clock.setTimer(Math.max(0, ms), () => void this.#read()).unref()
  }

  async #read(): Promise<void> {
    this.#timer = undefined
    this.#reading = true
    this.#readAt = this.#settings.clock.monotonic()
    for (let left = max.perInterval; left > 0 && this.#touched.size > 0; left -= max.perBatch) {
      const targets = takeBatch(this.#touched)
      for (const target of targets) target.touched = false
      if (!(await this.#readThese(targets))) break
    }
    this.#reading = false
    if (this.working) this.#resend()
    if (this.#touched.size > 0) this.#plan()
  }

  async #readThese(targets: readonly SyncedTarget[]): Promise<boolean> {
    const versions = targets.map(({ version }) => version)
    const states = await this.#calls.callOrProbe(async () =>
      validatedStates(await this.store.read(targets.map(({ id }) => id)), targets.length),
    )
    const now = this.#settings.clock.monotonic()
    for (const [index, target] of targets.entries()) {
      const state = states.ok ? states.value[index] : undefined
      if (state !== undefined) target.read(state, versions[index]!, now)
    }
    return states.ok
  }

  async #write(): Promise<void> {
    this.#writing = true
    // After the request's own work.
    await Promise.resolve()
    while (this.#changes.size > 0) {
      const targets = takeBatch(this.#changes)
      const versions = targets.map(({ version }) => version)
      const now = this.#settings.clock.monotonic()
      const changes = targets.map(target => target.change(now))
      const generations = await this.#calls.callOrProbe(async () =>
        validatedNumbers(await this.store.write(changes), changes.length),
      )
      for (const [index, target] of targets.entries()) {
        const generation = generations.ok ? generations.value[index] : undefined
        if (generation !== undefined) target.written(generation, versions[index]!)
        else this.#retryLater(target, changes[index]!)
      }
    }
    this.#writing = false
  }

  #retryLater(target: SyncedTarget, change: SharedTargetChange): void {
    if (this.#unsent.size >= maxUnsent) return
    target.unsent(change)
    this.#unsent.add(target)
  }

  #resend(): void {
    for (const target of this.#unsent) this.changed(target)
    this.#unsent.clear()
  }
}

/** Removes and returns the first targets of a set, one batch. */
function takeBatch(set: Set<SyncedTarget>): readonly SyncedTarget[] {
  const first = [...set].slice(0, max.perBatch)
  for (const target of first) set.delete(target)
  return first
}

const maxDigestLength = 64

/** Throws where a store returned no states: invalid ones would have effect for minutes. */
function validatedStates(given: unknown, count: number): readonly (SharedTargetState | undefined)[] {
  const states: readonly unknown[] = Array.isArray(given) ? given : []
  if (states.length === count && states.every(state => state === undefined || isState(state))) {
    return states as readonly (SharedTargetState | undefined)[]
  }
  throw new Error(`The shared health store returned an invalid value: expected ${count} states.`)
}

/** Throws where a store returned no numbers. */
function validatedNumbers(given: unknown, count: number): readonly number[] {
  const numbers: readonly unknown[] = Array.isArray(given) ? given : []
  if (numbers.length === count && numbers.every(isAmount)) return numbers as readonly number[]
  throw new Error(`The shared health store returned an invalid value: expected ${count} numbers.`)
}

function isState(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const { generation, openings, openMs, cooldownMs, openFor, partial, reason, pause } =
    value as Partial<SharedTargetState>
  return (
    [generation, openings, openMs, cooldownMs].every(isAmount) &&
    (openFor === undefined || isDigest(openFor)) &&
    (partial === undefined || typeof partial === 'boolean') &&
    (reason === undefined || typeof reason === 'string') &&
    (pause === undefined || isPause(pause))
  )
}

function isPause(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const { principal, ms } = value as Partial<SharedPause>
  return isDigest(principal) && isAmount(ms)
}

function isDigest(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && value.length <= maxDigestLength
}

function isAmount(value: unknown): boolean {
  return typeof value === 'number' && value >= 0
}
