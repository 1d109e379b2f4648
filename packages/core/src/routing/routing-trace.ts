import type { Target } from '../contracts/provider.ts'
import type { RoutedTarget } from '../contracts/route.ts'
import type { RequestTrace, SkippedKey, SkipReason, TracedTarget } from '../contracts/trace.ts'
import { boundedLine } from '../primitives/safe-text.ts'
import { seededRandom } from '../primitives/seeded-random.ts'
import { isSameTarget, isTarget } from '../validation/is-target.ts'

/** Maximum number of targets in a trace: a route may return any number. */
const maxTargets = 100

/** Records how a request is routed. It stores references only; the trace is built on demand. */
export class RoutingTrace {
  /** Whether the route was called. */
  begun = false
  /** The entry of the route that matched; `undefined` if the route did not report it. */
  entry: string | undefined
  readonly #draw: () => number
  #seed: number | undefined
  #random: (() => number) | undefined
  #given: readonly RoutedTarget[] | undefined
  /** Why targets of the route were not called, or not retried. */
  #skipped: Map<Target, SkipReason> | undefined
  /** The keys of targets of the route that were not used. */
  #skippedKeys: Map<Target, SkippedKey[]> | undefined
  /** Targets that the route did not return. */
  #others: [Target, SkipReason][] | undefined
  #uncounted = 0

  /** `draw` returns a number from 0 up to, but not including, 1: the source of the seed if none is given. */
  constructor(draw: () => number, seed?: number) {
    this.#draw = draw
    this.#seed = seed
  }

  /** Drawn on first use. */
  get seed(): number {
    this.#seed ??= Math.floor(this.#draw() * 4_294_967_296)
    return this.#seed
  }

  /** Returns the next random number of the request. */
  random(): number {
    this.#random ??= seededRandom(this.seed)
    return this.#random()
  }

  /** Records the entry that matched. Throws `TypeError` for anything but a string. */
  match(entry: string): void {
    if (typeof entry !== 'string')
      throw new TypeError(`match: got ${typeof entry}, expected a name or a pattern.`)
    this.entry = entry
  }

  /** Records the targets of the route. Targets that are skipped later are among these, or their shadows. */
  setTargets(candidates: readonly RoutedTarget[]): void {
    this.#given = candidates
  }

  /** Records the order in which targets are called. */
  setOrder(candidates: readonly RoutedTarget[]): void {
    let next = 0
    this.#given = this.#given?.map(each => (candidates.includes(each) ? (candidates[next++] ?? each) : each))
  }

  /**
   * Records why a target was skipped; with a key, why that key of its provider was. Throws `TypeError` for an invalid target
   * or reason.
   */
  skip(target: Target, reason: SkipReason, key?: string): void {
    if (!isTarget(target)) throw new TypeError('skip: got an invalid target, expected { provider, model }.')
    const copy = validatedReason(reason)
    const given = this.#given && givenAs(target, this.#given)
    if (key !== undefined) {
      if (given !== undefined) this.#skipKey(given, { key: boundedLine(key), ...copy })
      return
    }
    if (given !== undefined) {
      this.#skipped ??= new Map()
      this.#skipped.set(given, copy)
      return
    }
    this.#others ??= []
    if (this.#others.length < maxTargets) this.#others.push([target, copy])
    else this.#uncounted++
  }

  /** Of several attempts, the latest reason counts. */
  #skipKey(given: Target, skipped: SkippedKey): void {
    this.#skippedKeys ??= new Map()
    const earlier = this.#skippedKeys.get(given)?.filter(({ key }) => key !== skipped.key) ?? []
    this.#skippedKeys.set(given, [...earlier, skipped])
  }

  /** Returns the trace. `overheadMs` becomes a field of it. */
  trace(overheadMs: number | undefined): RequestTrace {
    const { seed } = this
    const { candidates, more } = this.summary()
    return more === undefined ? { seed, candidates, overheadMs } : { seed, candidates, more, overheadMs }
  }

  /** Returns the targets in the order of attempts, then those that the route did not return. */
  summary(): Pick<RequestTrace, 'candidates' | 'more'> {
    const given = this.#given ?? []
    const shown = given.length <= maxTargets ? given : given.slice(0, maxTargets)
    // By index: iterators are slow on frozen arrays in V8, and the list of a model is frozen.
    const candidates = new Array<TracedTarget>(shown.length)
    for (let at = 0; at < shown.length; at++) {
      candidates[at] = traced(shown[at]!, this.#skipped?.get(shown[at]!))
      const skippedKeys = this.#skippedKeys?.get(shown[at]!)
      if (skippedKeys !== undefined) candidates[at] = { ...candidates[at]!, skippedKeys }
    }
    if (this.#others === undefined && shown === given) return { candidates }
    const others = this.#others?.filter(([target]) => !given.some(each => isSameTarget(each, target))) ?? []
    for (const [target, reason] of others.slice(0, maxTargets - candidates.length)) {
      candidates.push(traced(target, reason))
    }
    const more = given.length + others.length + this.#uncounted - candidates.length
    return more === 0 ? { candidates } : { candidates, more }
  }
}

/** Returns the target as the route returned it: its settings may have been replaced since. */
function givenAs(target: RoutedTarget, given: readonly RoutedTarget[]): Target | undefined {
  if (given.includes(target)) return target
  return given.find(each => isSameTarget(each, target) && each.via === target.via)
}

function traced(candidate: RoutedTarget, skipped: SkipReason | undefined): TracedTarget {
  const provider = boundedLine(String(candidate.provider.name))
  const model = boundedLine(candidate.model)
  if (!Array.isArray(candidate.via)) {
    return skipped === undefined ? { provider, model } : { provider, model, skipped }
  }
  const via = boundedLine(candidate.via.join(' > '))
  return skipped === undefined ? { provider, model, via } : { provider, model, via, skipped }
}

/** Returns a validated copy, which is reported when the request has ended. */
function validatedReason(reason: SkipReason): SkipReason {
  const { why, waitMs, detail } = (reason ?? {}) as Partial<Record<keyof SkipReason, unknown>>
  if (typeof why !== 'string')
    throw new TypeError("skip: got an invalid reason, expected { why: 'not_chosen' }.")
  return {
    why: boundedLine(why) as SkipReason['why'],
    ...(typeof waitMs === 'number' && Number.isFinite(waitMs) && { waitMs: Math.ceil(waitMs) }),
    ...(typeof detail === 'string' && { detail: boundedLine(detail) }),
  }
}
