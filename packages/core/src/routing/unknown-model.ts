import { Permissions } from '../auth/authorize.ts'
import type { Authorizer } from '../contracts/authorizer.ts'
import type { Principal } from '../contracts/principal.ts'
import type { Route } from '../contracts/route.ts'
import { GatewayError } from '../errors/errors.ts'
import { modelNotFound } from '../errors/model-refusals.ts'
import { closest } from '../primitives/closest.ts'

const maxSuggestions = 3

/** Maximum number of names to authorize per error. */
const maxAuthorized = 8

/** Comparing names takes time proportional to their lengths and number: beyond these, nothing is suggested. */
const maxLength = 64
const maxModels = 1_000

/** Returns the 404 for an unknown model. It suggests similar names that `GET /models` lists for the same principal. */
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
  for (let asked = 0; asked < maxAuthorized && suggested.length < maxSuggestions; asked++) {
    const near = closest(model, left) ?? longer(model, left)
    if (near === undefined) break
    left.delete(near)
    const listed = await isListed(near, route, permissions)
    if (listed === undefined) break
    if (listed) suggested.push(near)
  }
  return modelNotFound(model, { suggested })
}

/** Returns a name that starts with a text, such as `other-sonnet-4-20250514` for `other-sonnet`. */
function longer(text: string, names: Iterable<string>): string | undefined {
  if (text.length < 3) return undefined
  for (const name of names) if (name.toLowerCase().startsWith(text.toLowerCase())) return name
  return undefined
}

/** Returns `undefined` if the authorizer fails: the error is still a 404, without further suggestions. */
async function isListed(id: string, route: Route, permissions: Permissions): Promise<boolean | undefined> {
  try {
    return await permissions.allowsModel(id, route.waysOf?.(id) ?? [[]])
  } catch (error) {
    return GatewayError.is(error) && error.status < 500 ? false : undefined
  }
}
