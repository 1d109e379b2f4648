import type { Target } from '../contracts/provider.ts'
import type { RoutedTarget } from '../contracts/route.ts'
import type { RequestTrace, SkipReason, TracedTarget } from '../contracts/trace.ts'
import { boundedLine } from '../primitives/safe-text.ts'
import { seededRandom } from '../primitives/seeded-random.ts'
import { isSameTarget, isTarget } from '../validation/is-target.ts'

/** So many places are told of: a route may name any number. */
const most = 100

/** What is kept of how one request is routed: references, of which a trace is made when it is asked for. */
export class RoutingTrace {
  /** Whether the route has been asked. */
  begun = false
  /** The entry of the route that matched; `undefined` where the route does not say. */
  entry: string | undefined
  readonly #draw: () => number
  #seed: number | undefined
  #random: (() => number) | undefined
  #given: readonly RoutedTarget[] | undefined
  /** Why places that the route gave were not asked, or not again. */
  #skipped: Map<Target, SkipReason> | undefined
  /** Places that it did not give. */
  #others: [Target, SkipReason][] | undefined
  #uncounted = 0

  /** `draw` gives what a seed is made of, where none is given: a number from 0 up to, but not including, 1. */
  constructor(draw: () => number, seed?: number) {
    this.#draw = draw
    this.#seed = seed
  }

  /** Drawn when chance has to decide, or when it is told. */
  get seed(): number {
    this.#seed ??= Math.floor(this.#draw() * 4_294_967_296)
    return this.#seed
  }

  /** The request's next number of chance. */
  random(): number {
    this.#random ??= seededRandom(this.seed)
    return this.#random()
  }

  /** Throws `TypeError` for what is no name. */
  match(entry: string): void {
    if (typeof entry !== 'string')
      throw new TypeError(`match: got ${typeof entry}, expected a name or a pattern.`)
    this.entry = entry
  }

  /** What the route gave. What is skipped from here on is one of these, or a shadow of one. */
  give(candidates: readonly RoutedTarget[]): void {
    this.#given = candidates
  }

  /** Of those that the route gave, these are asked, in this order. */
  ask(candidates: readonly RoutedTarget[]): void {
    let next = 0
    this.#given = this.#given?.map(each => (candidates.includes(each) ? (candidates[next++] ?? each) : each))
  }

  /** Throws `TypeError` for what is no target, or no reason. */
  skip(target: Target, reason: SkipReason): void {
    if (!isTarget(target)) throw new TypeError('skip: got what is no target, expected { provider, model }.')
    const kept = soundReason(reason)
    const given = this.#given && givenAs(target, this.#given)
    if (given !== undefined) {
      this.#skipped ??= new Map()
      this.#skipped.set(given, kept)
      return
    }
    this.#others ??= []
    if (this.#others.length < most) this.#others.push([target, kept])
    else this.#uncounted++
  }

  /** `overheadMs` as the trace has it. */
  trace(overheadMs: number | undefined): RequestTrace {
    const { seed } = this
    const { candidates, more } = this.told()
    return more === undefined ? { seed, candidates, overheadMs } : { seed, candidates, more, overheadMs }
  }

  /** Those that the route gave, in the order in which they are asked, then those that it gave in no form. */
  told(): Pick<RequestTrace, 'candidates' | 'more'> {
    const given = this.#given ?? []
    const shown = given.length <= most ? given : given.slice(0, most)
    // By index: a model's own list is frozen, and the engine is slow at the other ways through those.
    const candidates = new Array<TracedTarget>(shown.length)
    for (let at = 0; at < shown.length; at++) {
      candidates[at] = traced(shown[at]!, this.#skipped?.get(shown[at]!))
    }
    if (this.#others === undefined && shown === given) return { candidates }
    const others = this.#others?.filter(([target]) => !given.some(each => isSameTarget(each, target))) ?? []
    for (const [target, reason] of others.slice(0, most - candidates.length)) {
      candidates.push(traced(target, reason))
    }
    const more = given.length + others.length + this.#uncounted - candidates.length
    return more === 0 ? { candidates } : { candidates, more }
  }
}

/** The place as the route gave it: what is said of it may have changed on the way. */
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

/** A copy: it is told of when the request has ended. */
function soundReason(reason: SkipReason): SkipReason {
  const { why, waitMs, detail } = (reason ?? {}) as Partial<Record<keyof SkipReason, unknown>>
  if (typeof why !== 'string') throw new TypeError("skip: got no reason, expected { why: 'not_chosen' }.")
  return {
    why: boundedLine(why) as SkipReason['why'],
    ...(typeof waitMs === 'number' && Number.isFinite(waitMs) && { waitMs: Math.ceil(waitMs) }),
    ...(typeof detail === 'string' && { detail: boundedLine(detail) }),
  }
}
