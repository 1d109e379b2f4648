import type { Authorizer } from '../contracts/authorizer.ts'
import type { Principal } from '../contracts/principal.ts'
import type { RouteContext, RoutedTarget } from '../contracts/route.ts'
import { modelNotAllowed } from '../errors/model-refusals.ts'
import { isPromise } from '../primitives/is-promise.ts'
import { matchesPattern } from '../primitives/matches-pattern.ts'
import { memberOf } from '../primitives/own-members.ts'
import { isSameTarget } from '../validation/is-target.ts'

/** The models that a principal may use. Calls the authorizer once per name. */
export class Permissions {
  readonly #principal: Principal
  readonly #authorizer: Authorizer
  readonly #answers = new Map<string, boolean | Promise<boolean>>()

  constructor(principal: Principal, authorizer: Authorizer) {
    this.#principal = principal
    this.#authorizer = authorizer
  }

  /** Returns whether the principal may use a name. Throws `TypeError` if the authorizer returns no boolean. */
  allows(name: string): boolean | Promise<boolean> {
    const known = this.#answers.get(name)
    if (known !== undefined) return known
    return this.record(name, this.#authorizer(this.#principal, name))
  }

  /** Records what the authorizer returned for a name. Throws like `allows`. */
  record(name: string, answer: unknown): boolean | Promise<boolean> {
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
 * Returns the targets that a principal may use. For a target with a `via`, it must be allowed to use all of those names.
 * Synchronous if the authorizer is, and no target has a `via`. Rejects with `GatewayError` (403) if no target remains.
 *
 * @param log - records the targets that are removed.
 */
export function authorizeTargets(
  principal: Principal,
  model: string,
  targets: readonly RoutedTarget[],
  authorizer: Authorizer,
  log: Pick<RouteContext, 'skip'>,
): readonly RoutedTarget[] | Promise<readonly RoutedTarget[]> {
  const answer: unknown = authorizer(principal, model)
  if (answer === true && !anyVia(targets)) return targets
  return allowedTargets(answer, model, targets, new Permissions(principal, authorizer), log)
}

/** `answer` is the result of the authorizer for the requested model. */
async function allowedTargets(
  answer: unknown,
  model: string,
  targets: readonly RoutedTarget[],
  permissions: Permissions,
  log: Pick<RouteContext, 'skip'>,
): Promise<readonly RoutedTarget[]> {
  if (!(await permissions.record(model, answer))) throw modelNotAllowed(model)
  if (!anyVia(targets)) return targets
  const allowed: RoutedTarget[] = []
  for (const target of targets) {
    const denied = await permissions.firstDenied(viaOf(target))
    if (denied !== undefined) log.skip(target, { why: 'not_allowed', detail: denied })
    else if (allowed.some(other => isSameTarget(other, target))) {
      log.skip(target, { why: 'not_chosen', detail: 'already in the list' })
    } else allowed.push(target)
  }
  if (allowed.length === 0) throw modelNotAllowed(model)
  return allowed
}

/** By index: iterators are slow on frozen arrays in V8, and the list of a model is frozen. */
function anyVia(targets: readonly RoutedTarget[]): boolean {
  for (let at = 0; at < targets.length; at++) if (targets[at]!.via !== undefined) return true
  return false
}

/** Returns the further names that lead to a target. */
function viaOf({ via }: RoutedTarget): readonly string[] {
  if (via === undefined) return []
  if (Array.isArray(via)) return via
  throw new TypeError('route returned a target with an invalid via: expected an array of model names.')
}

function isAllowed(answer: unknown): boolean {
  if (answer === true) return true
  if (answer === false || answer === undefined || answer === null) return false
  throw new TypeError(`authorize returned an invalid value: got ${typeof answer}, expected true or false.`)
}

/** Returns whether the `models` of a principal include a model. A principal without `models` may use all. */
export function modelPatterns(principal: Principal, model: string): boolean {
  const models = memberOf(principal, 'models')
  return models === undefined || models.some(pattern => matchesPattern(pattern, model))
}
