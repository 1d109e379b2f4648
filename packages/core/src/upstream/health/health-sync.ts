import type { Timer } from '../../clock/clock.ts'
import type {
  SharedHealth,
  SharedPause,
  SharedTargetChange,
  SharedTargetState,
} from '../../contracts/shared-health.ts'
import { freshId } from '../../primitives/random.ts'
import { StoreClient } from '../../stores/store-client.ts'
import type { HealthSettings } from './health-options.ts'
import type { SyncedTarget } from './synced-target.ts'

/** How often is read what others tell, in milliseconds, and no oftener than targets are asked for. */
const readEveryMs = 1_000

/** So many targets are read or written at once, and so many read in one turn. */
const most = { atOnce: 100, aTurn: 1_000 }

/** So many changes are kept for a store that fails. */
const mostUnheard = 1_000

/** So many targets wait to be read: callers may name any number. */
const mostTouched = 10_000

/**
 * Keeps this process's targets and those of others at one. No request waits for it. Nothing is read while no target
 * is asked for; and it holds no process.
 */
export class HealthSync {
  readonly store: SharedHealth
  readonly #settings: Pick<HealthSettings, 'clock' | 'changed'>
  readonly #calls: StoreClient
  readonly #token: string
  readonly #touched = new Set<SyncedTarget>()
  readonly #changes = new Set<SyncedTarget>()
  readonly #unheard = new Set<SyncedTarget>()
  #timer: Timer | undefined
  #readAt = Number.NEGATIVE_INFINITY
  #reading = false
  #writing = false

  /** `token` tells this process from others. */
  constructor(
    store: SharedHealth,
    settings: Pick<HealthSettings, 'clock' | 'changed'>,
    token: string = freshId(),
  ) {
    this.store = store
    this.#settings = settings
    this.#calls = new StoreClient({
      name: 'shared health',
      timeoutMs: 50,
      clock: settings.clock,
      changed: (state, error) => settings.changed({ type: 'store', store: 'health', state, error }),
      // It is read once a second anyway, which finds out whether it works.
      breaker: { failuresToOpen: 1, windowMs: 0, firstProbeMs: 0, lastProbeMs: 0 },
      maxUnanswered: 8,
    })
    this.#token = token
  }

  get working(): boolean {
    return this.#calls.usable
  }

  /** The target is asked for: it is read soon, where not too many wait for that. Tells whether it is. */
  touch(target: SyncedTarget): boolean {
    this.#plan()
    if (this.#touched.size >= mostTouched) return false
    this.#touched.add(target)
    return true
  }

  /** The target has something to tell. */
  changed(target: SyncedTarget): void {
    this.#changes.add(target)
    if (!this.#writing) void this.#write()
  }

  async claim(id: string, ms: number): Promise<boolean> {
    const claimed = await this.#calls.askOrProbe(() => this.store.acquireProbe(id, this.#token, ms))
    return claimed.ok && claimed.value === true
  }

  async letGo(id: string): Promise<void> {
    await this.#calls.askOrProbe(() => this.store.releaseProbe(id, this.#token))
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
    for (let left = most.aTurn; left > 0 && this.#touched.size > 0; left -= most.atOnce) {
      const targets = taken(this.#touched)
      for (const target of targets) target.touched = false
      if (!(await this.#readThese(targets))) break
    }
    this.#reading = false
    if (this.working) this.#tellUnheard()
    if (this.#touched.size > 0) this.#plan()
  }

  async #readThese(targets: readonly SyncedTarget[]): Promise<boolean> {
    const versions = targets.map(({ version }) => version)
    const states = await this.#calls.askOrProbe(async () =>
      soundStates(await this.store.read(targets.map(({ id }) => id)), targets.length),
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
    // Not within the request that it is a change of.
    await Promise.resolve()
    while (this.#changes.size > 0) {
      const targets = taken(this.#changes)
      const versions = targets.map(({ version }) => version)
      const now = this.#settings.clock.monotonic()
      const changes = targets.map(target => target.change(now))
      const generations = await this.#calls.askOrProbe(async () =>
        soundNumbers(await this.store.write(changes), changes.length),
      )
      for (const [index, target] of targets.entries()) {
        const generation = generations.ok ? generations.value[index] : undefined
        if (generation !== undefined) target.written(generation, versions[index]!)
        else this.#keep(target, changes[index]!)
      }
    }
    this.#writing = false
  }

  #keep(target: SyncedTarget, change: SharedTargetChange): void {
    if (this.#unheard.size >= mostUnheard) return
    target.unheard(change)
    this.#unheard.add(target)
  }

  #tellUnheard(): void {
    for (const target of this.#unheard) this.changed(target)
    this.#unheard.clear()
  }
}

/** Takes the first ones out of a set. */
function taken(set: Set<SyncedTarget>): readonly SyncedTarget[] {
  const first = [...set].slice(0, most.atOnce)
  for (const target of first) set.delete(target)
  return first
}

const longestDigest = 64

/** What a store gave where states were asked for. Throws for anything else: it would be believed for minutes. */
function soundStates(given: unknown, count: number): readonly (SharedTargetState | undefined)[] {
  const states: readonly unknown[] = Array.isArray(given) ? given : []
  if (states.length === count && states.every(state => state === undefined || isState(state))) {
    return states as readonly (SharedTargetState | undefined)[]
  }
  throw new Error(`The shared health gave something that is no answer: expected ${count} states.`)
}

/** The same of numbers. */
function soundNumbers(given: unknown, count: number): readonly number[] {
  const numbers: readonly unknown[] = Array.isArray(given) ? given : []
  if (numbers.length === count && numbers.every(isAmount)) return numbers as readonly number[]
  throw new Error(`The shared health gave something that is no answer: expected ${count} numbers.`)
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
  return typeof value === 'string' && value !== '' && value.length <= longestDigest
}

function isAmount(value: unknown): boolean {
  return typeof value === 'number' && value >= 0
}
