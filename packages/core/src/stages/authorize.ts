import { isSamePlace } from '../is-same-place.ts'
import { modelNotAllowed } from '../protocol/model-refusals.ts'
import type { Principal } from './authenticate.ts'
import type { Candidate, RouteContext } from './route.ts'

/** Says whether a principal may use a model. */
export type Authorizer = (principal: Principal, model: string) => boolean | Promise<boolean>

/** May they? Throws 403, and `TypeError` for what is neither yes nor no: not all that is truthy is a leave. */
export async function authorize(principal: Principal, model: string, authorizer: Authorizer): Promise<void> {
  if (!isLeave(await authorizer(principal, model))) throw modelNotAllowed(model)
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
  places: readonly Candidate[],
  authorizer: Authorizer,
  log: Pick<RouteContext, 'skip'>,
): readonly Candidate[] | Promise<readonly Candidate[]> {
  const answer: unknown = authorizer(principal, model)
  if (answer === true && !anyVia(places)) return places
  return allowedPlaces(answer, principal, model, places, authorizer, log)
}

/** `answer` is what the authorizer said of the name that was asked for. */
async function allowedPlaces(
  answer: unknown,
  principal: Principal,
  model: string,
  places: readonly Candidate[],
  authorizer: Authorizer,
  log: Pick<RouteContext, 'skip'>,
): Promise<readonly Candidate[]> {
  if (!isLeave(await answer)) throw modelNotAllowed(model)
  if (!anyVia(places)) return places
  const answers = new Map([[model, true]])
  const allowed: Candidate[] = []
  for (const place of places) {
    // Each name is asked for once.
    let missing: string | undefined
    for (const name of viaOf(place)) {
      let leave = answers.get(name)
      if (leave === undefined) {
        const said: unknown = authorizer(principal, name)
        leave = isLeave(typeof said === 'boolean' ? said : await said)
        answers.set(name, leave)
      }
      if (leave) continue
      missing = name
      break
    }
    if (missing !== undefined) log.skip(place, { why: 'not_allowed', detail: missing })
    else if (allowed.some(other => isSamePlace(other, place))) {
      log.skip(place, { why: 'not_chosen', detail: 'stands before it already' })
    } else allowed.push(place)
  }
  if (allowed.length === 0) throw modelNotAllowed(model)
  return allowed
}

/** By index: a model's own list is frozen, and the engine is slow at the other ways through those. */
function anyVia(places: readonly Candidate[]): boolean {
  for (let at = 0; at < places.length; at++) if (places[at]!.via !== undefined) return true
  return false
}

/** The further names by which a place was reached. */
function viaOf({ via }: Candidate): readonly string[] {
  if (via === undefined) return []
  if (Array.isArray(via)) return via
  throw new TypeError('route gave a target whose via is no list: expected the names by which it was reached.')
}

function isLeave(answer: unknown): boolean {
  if (answer === true) return true
  if (answer === false || answer === undefined || answer === null) return false
  throw new TypeError(
    `authorize gave something that is no answer: got ${typeof answer}, expected true or false.`,
  )
}
