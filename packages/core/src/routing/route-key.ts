import type { Draft } from '../contracts/draft.ts'
import type { RouteContext } from '../contracts/route.ts'
import { configurationError } from '../errors/configuration-error.ts'
import { principalKey, tagOf } from '../primitives/principal-key.ts'
import { jsonMember } from '../protocol/json-members.ts'

/**
 * What requests have in common that go the same way: `key`, their principal; `tag:team`, its tag; `user` or
 * `prompt_cache_key`, that field of the request; or a function. Where there is none, it is the principal.
 */
export type RouteKey =
  | 'key'
  | `tag:${string}`
  | 'user'
  | 'prompt_cache_key'
  | ((draft: Draft, context: RouteContext) => string | undefined)

/** Says what a request's key is. Throws `ConfigurationError` for what names none. */
export function routeKey(by: unknown, owner: string): (draft: Draft, context: RouteContext) => string {
  const find = finder(by, owner)
  return (draft, context) => {
    const found: unknown = find(draft, context)
    if (found === undefined) return principalKey(context.principal)
    if (typeof found === 'string') return found
    throw new TypeError(`${owner}: its key gave ${typeof found}, expected text or undefined.`)
  }
}

function finder(by: unknown, owner: string): (draft: Draft, context: RouteContext) => unknown {
  if (typeof by === 'function') return by as ReturnType<typeof finder>
  if (by === 'key') return (_, { principal }) => principalKey(principal)
  if (by === 'user' || by === 'prompt_cache_key') {
    return ({ body }) => {
      const value = jsonMember(body, by)
      return typeof value === 'string' ? value : undefined
    }
  }
  if (typeof by === 'string' && by.startsWith('tag:') && by.length > 4) {
    const tag = by.slice(4)
    return (_, { principal }) => tagOf(principal, tag)
  }
  const expected = "'key', 'user', 'prompt_cache_key', 'tag:' with a name, or a function"
  throw configurationError(owner, ['by'], by, expected)
}
