import { isTarget } from '../../is-target.ts'
import type { Target } from '../../provider.ts'
import { type Candidate, candidateList, type Route } from '../../stages/route.ts'
import { checkTarget } from './check-target.ts'
import { inOrder } from './ordered-step.ts'
import { fixedStep, type Part, type Step } from './step.ts'

/** Under it a route keeps what it is made of. */
export const madeOf: unique symbol = Symbol.for('sluice.route')

/** Entries of a route, looked at. Throws `TypeError` for what cannot be one. */
export function partsOf(entries: readonly unknown[], owner: string): readonly Part[] {
  if (entries.length === 0) {
    throw new TypeError(`${owner}: got no entries, expected at least one, such as a target.`)
  }
  return entries.map((entry, at) => partOf(entry, `${owner}: entry ${at + 1}`))
}

/**
 * An entry, looked at. Throws `TypeError` for what cannot be one.
 *
 * @param place - where it stands, for the text of the error.
 */
export function partOf(entry: unknown, place: string): Part {
  if (typeof entry === 'string' && entry !== '') return { names: [entry], link: scope => scope.find(entry) }
  if (isVendor(entry)) {
    throw new TypeError(`${place} is a vendor, not a target: name one of its models, as in vendor('model').`)
  }
  if (typeof entry === 'function') return partOfRoute(entry as Route)
  if (Array.isArray(entry)) return partOfList(entry, place)
  if (!isTarget(entry)) {
    throw new TypeError(
      `${place} is no target. A target is made by a provider from the name that its vendor uses; an entry may also be the name of another entry, a list, or a route.`,
    )
  }
  checkTarget(entry, place)
  const step = fixedStep(Object.freeze([entry]), `${entry.provider.name}/${entry.model}`)
  return { names: [], link: () => step }
}

function partOfList(entries: readonly unknown[], place: string): Part {
  if (entries.length === 0) throw new TypeError(`${place} has an empty list of targets.`)
  const parts = entries.map(entry => partOf(entry, place))
  return { names: namesOf(parts), link: scope => inOrder(parts.map(part => part.link(scope))) }
}

export function namesOf(parts: readonly Part[]): readonly string[] {
  return parts.flatMap(({ names }) => names)
}

/** What a route of this library is made of; `undefined` for one of the user's. */
export function madeFrom(route: unknown): Part | undefined {
  return typeof route === 'function' && madeOf in route ? (route[madeOf] as Part) : undefined
}

/** A function that makes targets, whose second call was forgotten; as a route it would be called with a draft. */
export function isVendor(value: unknown): value is (model: string) => Target {
  return typeof value === 'function' && 'provider' in value
}

function partOfRoute(route: Route): Part {
  const made = madeFrom(route)
  if (made !== undefined) return made
  const step: Step = {
    fixed: undefined,
    get targets() {
      return route.targets?.() ?? []
    },
    // Its `via` is known when it is called.
    ways: [[]],
    id: 'route',
    ask(draft, context) {
      const given: unknown = route(draft, context)
      return isThenable(given) ? Promise.resolve(given).then(candidateList) : candidateList(given)
    },
  }
  return { names: [], link: () => step }
}

function isThenable(value: unknown): value is PromiseLike<readonly Candidate[]> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}
