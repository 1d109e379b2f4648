import type { Target } from '../contracts/provider.ts'
import type { Candidate, Route } from '../contracts/route.ts'
import { configurationError } from '../errors/configuration-error.ts'
import { isTarget } from '../validation/is-target.ts'
import type { EntryPlace } from './check-target.ts'
import { checkTarget } from './check-target.ts'
import { inOrder } from './ordered-step.ts'
import { candidateList } from './route.ts'
import { fixedStep, type Part, type Step } from './step.ts'

/** Under it a route keeps what it is made of. */
export const madeOf: unique symbol = Symbol.for('sluice.route')

/** Entries of a route, looked at. Throws `ConfigurationError` for what cannot be one. */
export function partsOf(entries: readonly unknown[], source: string): readonly Part[] {
  if (entries.length === 0)
    throw configurationError(source, [], entries, 'an entry at least, such as a target')
  return entries.map((entry, at) => partOf(entry, { source, path: [at] }))
}

/** An entry, looked at. Throws `ConfigurationError` for what cannot be one. */
export function partOf(entry: unknown, place: EntryPlace): Part {
  if (typeof entry === 'string' && entry !== '') return { names: [entry], link: scope => scope.find(entry) }
  if (isVendor(entry)) {
    throw configurationError(place.source, place.path, entry, "a target, and no vendor: vendor('its-model')")
  }
  if (typeof entry === 'function') return partOfRoute(entry as Route)
  if (Array.isArray(entry)) return partOfList(entry, place)
  if (!isTarget(entry)) {
    const expected =
      "a target, such as vendor('its-model'), the name of another entry, a list of entries, or a route"
    throw configurationError(place.source, place.path, entry, expected)
  }
  checkTarget(entry, place)
  const step = fixedStep(Object.freeze([entry]), `${entry.provider.name}/${entry.model}`)
  return { names: [], link: () => step }
}

function partOfList(entries: readonly unknown[], place: EntryPlace): Part {
  const { source, path } = place
  if (entries.length === 0) throw configurationError(source, path, entries, 'a list with an entry at least')
  const parts = entries.map((entry, at) => partOf(entry, { source, path: [...path, at] }))
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
