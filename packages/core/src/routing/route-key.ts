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

/**
 * How far each of some arms is from a key: the least is the key's own. An arm that leaves moves its own keys alone, and
 * one that comes takes its share from all (weighted rendezvous hashing, Schindelhauer and Schomaker 2005).
 */
export type Distances = (key: string) => readonly number[]

/** @param ids - of the arms, each another; the order does not matter. */
export function rendezvous(ids: readonly string[], weights: readonly number[]): Distances {
  const arms = ids.map(textHash)
  return key => {
    const hash = textHash(key)
    return arms.map(
      (arm, at) => -Math.log((mixed(Math.imul(hash, 0x9e3779b1) ^ arm) + 0.5) / 2 ** 32) / weights[at]!,
    )
  }
}

/** Ids of which none is there twice: further ones of the same are numbered. */
export function distinctIds(ids: readonly string[]): readonly string[] {
  const seen = new Map<string, number>()
  return ids.map(id => {
    const times = (seen.get(id) ?? 0) + 1
    seen.set(id, times)
    return times === 1 ? id : `${id}#${times}`
  })
}

/** A 32-bit hash of a text, the same everywhere: FNV-1a over its code units, then mixed. Keeps no secret. */
function textHash(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    hash = Math.imul(hash ^ (unit & 0xff), 0x01000193)
    hash = Math.imul(hash ^ (unit >>> 8), 0x01000193)
  }
  return mixed(hash)
}

/** Spreads each bit over all 32 (the finalizer of MurmurHash3). */
function mixed(hash: number): number {
  let bits = hash ^ (hash >>> 16)
  bits = Math.imul(bits, 0x85ebca6b)
  bits ^= bits >>> 13
  bits = Math.imul(bits, 0xc2b2ae35)
  return (bits ^ (bits >>> 16)) >>> 0
}
