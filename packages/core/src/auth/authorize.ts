import type { Authorizer } from '../contracts/authorizer.ts'
import type { Principal } from '../contracts/principal.ts'
import type { RouteContext, RoutedTarget } from '../contracts/route.ts'
import { modelNotAllowed } from '../errors/model-refusals.ts'
import { isPromise } from '../primitives/is-promise.ts'
import { matchesPattern } from '../primitives/matches-pattern.ts'
import { memberOf } from '../primitives/own-members.ts'
import { isSameTarget } from '../validation/is-target.ts'

/** The names that one principal may use. Calls the authorizer once for each name. */
export class Permissions {
  readonly #principal: Principal
  readonly #authorizer: Authorizer
  readonly #answers = new Map<string, boolean | Promise<boolean>>()

  constructor(principal: Principal, authorizer: Authorizer) {
    this.#principal = principal
    this.#authorizer = authorizer
  }

  /** Throws `TypeError` for an answer that is neither yes nor no: a value that is merely truthy permits nothing. */
  allows(name: string): boolean | Promise<boolean> {
    const known = this.#answers.get(name)
    if (known !== undefined) return known
    return this.keep(name, this.#authorizer(this.#principal, name))
  }

  /** Takes what the authorizer has answered for a name. Throws like `allows`. */
  keep(name: string, answer: unknown): boolean | Promise<boolean> {
    const allowed = isPromise(answer) ? Promise.resolve(answer).then(isAllowed) : isAllowed(answer)
    this.#answers.set(name, allowed)
    return allowed
  }

  /** Returns the first of the names that the principal may not use. */
  async firstDenied(names: readonly string[]): Promise<string | undefined> {
    for (const name of names) {
      const allowed = this.allows(name)
      if (!(typeof allowed === 'boolean' ? allowed : await allowed)) return name
    }
    return undefined
  }

  /** Returns whether the principal may use a model and every name of at least one of the ways to its targets. */
  async allowsModel(model: string, ways: readonly (readonly string[])[]): Promise<boolean> {
    if ((await this.firstDenied([model])) !== undefined) return false
    for (const way of ways) if ((await this.firstDenied(way)) === undefined) return true
    return false
  }
}

/**
 * Which of the places may they use? Those that were reached by further names are for callers with leave for all of
 * them. At once where the authorizer says yes at once and none was reached so. Rejects with 403 where none is left.
 *
 * @param log - is told of those that are left out.
 */
export function authorizePlaces(
  principal: Principal,
  model: string,
  places: readonly RoutedTarget[],
  authorizer: Authorizer,
  log: Pick<RouteContext, 'skip'>,
): readonly RoutedTarget[] | Promise<readonly RoutedTarget[]> {
  const answer: unknown = authorizer(principal, model)
  if (answer === true && !anyVia(places)) return places
  return allowedPlaces(answer, model, places, new Permissions(principal, authorizer), log)
}

/** `answer` is what the authorizer said of the name that was asked for. */
async function allowedPlaces(
  answer: unknown,
  model: string,
  places: readonly RoutedTarget[],
  permissions: Permissions,
  log: Pick<RouteContext, 'skip'>,
): Promise<readonly RoutedTarget[]> {
  if (!(await permissions.keep(model, answer))) throw modelNotAllowed(model)
  if (!anyVia(places)) return places
  const allowed: RoutedTarget[] = []
  for (const place of places) {
    const denied = await permissions.firstDenied(viaOf(place))
    if (denied !== undefined) log.skip(place, { why: 'not_allowed', detail: denied })
    else if (allowed.some(other => isSameTarget(other, place))) {
      log.skip(place, { why: 'not_chosen', detail: 'stands before it already' })
    } else allowed.push(place)
  }
  if (allowed.length === 0) throw modelNotAllowed(model)
  return allowed
}

/** By index: a model's own list is frozen, and the engine is slow at the other ways through those. */
function anyVia(places: readonly RoutedTarget[]): boolean {
  for (let at = 0; at < places.length; at++) if (places[at]!.via !== undefined) return true
  return false
}

/** The further names by which a place was reached. */
function viaOf({ via }: RoutedTarget): readonly string[] {
  if (via === undefined) return []
  if (Array.isArray(via)) return via
  throw new TypeError('route gave a target whose via is no list: expected the names by which it was reached.')
}

function isAllowed(answer: unknown): boolean {
  if (answer === true) return true
  if (answer === false || answer === undefined || answer === null) return false
  throw new TypeError(
    `authorize gave something that is no answer: got ${typeof answer}, expected true or false.`,
  )
}

/** Whether a principal's `models` allow a model. A principal without `models` may use all. */
export function modelPatterns(principal: Principal, model: string): boolean {
  const models = memberOf(principal, 'models')
  return models === undefined || models.some(pattern => matchesPattern(pattern, model))
}
