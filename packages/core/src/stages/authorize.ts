import { isSamePlace } from '../is-same-place.ts'
import { modelNotAllowed } from '../protocol/model-refusals.ts'
import type { Principal } from './authenticate.ts'
import type { Candidate, RouteContext } from './route.ts'

/** Says whether a principal may use a model. */
export type Authorizer = (principal: Principal, model: string) => boolean | Promise<boolean>

/** May they? Throws 403, and `TypeError` for what is neither yes nor no: not all that is truthy is a leave. */
export async function authorize(principal: Principal, model: string, authorizer: Authorizer): Promise<void> {
  if (!(await mayUse(principal, model, authorizer))) throw modelNotAllowed(model)
}

/**
 * Which of the places may they use? Those that were reached by further names are for callers with leave for all of
 * them. Throws 403 where none is left.
 *
 * @param log - is told of those that are left out.
 */
export async function authorizePlaces(
  principal: Principal,
  model: string,
  places: readonly Candidate[],
  authorizer: Authorizer,
  log: Pick<RouteContext, 'skip'>,
): Promise<readonly Candidate[]> {
  await authorize(principal, model, authorizer)
  if (places.every(({ via }) => via === undefined)) return places
  const answers = new Map([[model, true]])
  const allowed: Candidate[] = []
  for (const place of places) {
    const missing = await firstMissing(place, answers, name => mayUse(principal, name, authorizer))
    if (missing !== undefined) log.skip(place, { why: 'not_allowed', detail: missing })
    else if (allowed.some(other => isSamePlace(other, place))) {
      log.skip(place, { why: 'not_chosen', detail: 'stands before it already' })
    } else allowed.push(place)
  }
  if (allowed.length === 0) throw modelNotAllowed(model)
  return allowed
}

/** The first name on the way to a place that they may not use. Each name is asked for once. */
async function firstMissing(
  { via }: Candidate,
  answers: Map<string, boolean>,
  ask: (name: string) => Promise<boolean>,
): Promise<string | undefined> {
  if (via === undefined) return undefined
  if (!Array.isArray(via)) {
    throw new TypeError(
      'route gave a target whose via is no list: expected the names by which it was reached.',
    )
  }
  for (const name of via as readonly string[]) {
    const allowed = answers.get(name) ?? (await ask(name))
    answers.set(name, allowed)
    if (!allowed) return name
  }
  return undefined
}

async function mayUse(principal: Principal, model: string, authorizer: Authorizer): Promise<boolean> {
  const answer: unknown = await authorizer(principal, model)
  if (answer === true) return true
  if (answer === false || answer === undefined || answer === null) return false
  throw new TypeError(
    `authorize gave something that is no answer: got ${typeof answer}, expected true or false.`,
  )
}
