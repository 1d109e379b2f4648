import type { Principal } from '@sluice/core'
import type { JwtPayload } from './jwt-options.ts'

/** OpenID Connect Core section 2. */
const maxIdLength = 255

/**
 * The caller whom a token names, with the rights that it has. `undefined` where it names none, or where a right is
 * written in a wrong way, which must not become a wider one.
 */
export function principalFromClaims(payload: JwtPayload): Principal | undefined {
  // Without what another library has added to `Object.prototype`.
  const { sub, models, tags } = Object.assign(Object.create(null), payload) as JwtPayload
  if (!isSubject(sub)) return undefined
  if (models !== undefined && !(Array.isArray(models) && models.every(isText))) return undefined
  if (tags !== undefined && !isTags(tags)) return undefined
  return { id: sub, ...(models === undefined ? {} : { models }), ...(tags === undefined ? {} : { tags }) }
}

/** Whether a `sub` can be the id of a principal: one line without control characters, of at most 255 characters. */
export function isSubject(sub: unknown): sub is string {
  return (
    typeof sub === 'string' && sub !== '' && sub.length <= maxIdLength && !/[\p{Cc}\u2028\u2029]/u.test(sub)
  )
}

function isTags(value: unknown): value is Readonly<Record<string, string>> {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && Object.values(value).every(isText)
  )
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}
