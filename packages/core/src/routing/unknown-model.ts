import { Permissions } from '../auth/authorize.ts'
import type { Authorizer } from '../contracts/authorizer.ts'
import type { Principal } from '../contracts/principal.ts'
import type { Route } from '../contracts/route.ts'
import { GatewayError } from '../errors/errors.ts'
import { modelNotFound } from '../errors/model-refusals.ts'
import { closest } from '../primitives/closest.ts'

const maxSuggestions = 3

/** How many names the authorizer is asked about for one refusal. */
const maxAsked = 8

/** Names are compared in time that grows with their lengths and their count: beyond these nothing is suggested. */
const maxLength = 64
const maxModels = 1_000

/**
 * The 404 for a model that nobody serves. It suggests models with similar names, but only those that `GET /models` shows to
 * the same caller.
 */
export async function unknownModel(
  model: string,
  principal: Principal,
  route: Route,
  authorizer: Authorizer,
): Promise<GatewayError> {
  const cards = route.list?.() ?? []
  if (model.length > maxLength || cards.length > maxModels) return modelNotFound(model)
  const permissions = new Permissions(principal, authorizer)
  const left = new Set(cards.map(({ id }) => id).filter(id => id.length <= maxLength && id !== model))
  const suggested: string[] = []
  for (let asked = 0; asked < maxAsked && suggested.length < maxSuggestions; asked++) {
    const near = closest(model, left) ?? longer(model, left)
    if (near === undefined) break
    left.delete(near)
    const listed = await isListed(near, route, permissions)
    if (listed === undefined) break
    if (listed) suggested.push(near)
  }
  return modelNotFound(model, { suggested })
}

/** A name that begins with a text, such as `other-sonnet-4-20250514` with `other-sonnet`. */
function longer(text: string, names: Iterable<string>): string | undefined {
  if (text.length < 3) return undefined
  for (const name of names) if (name.toLowerCase().startsWith(text.toLowerCase())) return name
  return undefined
}

/** `undefined` where the authorizer fails: the refusal is a 404 all the same, and nothing further is suggested. */
async function isListed(id: string, route: Route, permissions: Permissions): Promise<boolean | undefined> {
  try {
    return await permissions.allowsModel(id, route.waysOf?.(id) ?? [[]])
  } catch (error) {
    return GatewayError.is(error) && error.status < 500 ? false : undefined
  }
}
