import type { Draft } from '../contracts/draft.ts'
import type { RouteContext } from '../contracts/route.ts'
import { configurationError } from '../errors/configuration-error.ts'
import { principalKey, tagOf } from '../primitives/principal-key.ts'

/**
 * Which requests are routed alike. `key`: those of a principal, whatever it authenticated with. `tag:team`: those with the
 * same tag value. `user`: those of the same end user. `prompt_cache_key`: those of the same conversation. Or a function.
 * Requests without a value use their principal.
 */
export type RouteKey =
  | 'key'
  | `tag:${string}`
  | 'user'
  | 'prompt_cache_key'
  | ((draft: Draft, context: RouteContext) => string | undefined)

/** Returns a function for the key of a request. Throws `ConfigurationError` for an invalid `by`. */
export function routeKey(by: unknown, owner: string): (draft: Draft, context: RouteContext) => string {
  const find = finder(by, owner)
  return (draft, context) => {
    const found: unknown = find(draft, context)
    if (found === undefined) return principalKey(context.principal)
    if (typeof found === 'string') return found
    throw new TypeError(
      `${owner}: the key function returned ${typeof found}, expected a string or undefined.`,
    )
  }
}

/** Returns the key of the conversation of a principal; `undefined` if the request names none. */
export function conversationOf(
  { outline: { conversationKey } }: Draft,
  { principal }: RouteContext,
): string | undefined {
  return conversationKey === undefined
    ? undefined
    : JSON.stringify([principalKey(principal), conversationKey])
}

function finder(by: unknown, owner: string): (draft: Draft, context: RouteContext) => unknown {
  if (typeof by === 'function') return by as ReturnType<typeof finder>
  if (by === 'key') return (_, { principal }) => principalKey(principal)
  if (by === 'user') return ({ outline }) => outline.user
  if (by === 'prompt_cache_key') return ({ outline }) => outline.conversationKey
  if (typeof by === 'string' && by.startsWith('tag:') && by.length > 4) {
    const tag = by.slice(4)
    return (_, { principal }) => tagOf(principal, tag)
  }
  const expected = "'key', 'user', 'prompt_cache_key', 'tag:' with a name, or a function"
  throw configurationError(owner, ['by'], by, expected)
}

/**
 * Returns the distance of each arm from a key; the key belongs to the nearest. Removing an arm moves only its own keys, and an
 * added one takes its share from all (weighted rendezvous hashing, Schindelhauer and Schomaker 2005).
 */
export type Distances = (key: string) => readonly number[]

/** @param ids - distinct ids of the arms, in any order. */
export function rendezvous(ids: readonly string[], weights: readonly number[]): Distances {
  const arms = ids.map(textHash)
  return key => {
    const hash = textHash(key)
    return arms.map(
      (arm, at) => -Math.log((mixed(Math.imul(hash, 0x9e3779b1) ^ arm) + 0.5) / 2 ** 32) / weights[at]!,
    )
  }
}

/** Makes ids distinct by numbering duplicates. */
export function distinctIds(ids: readonly string[]): readonly string[] {
  const counts = new Map<string, number>()
  return ids.map(id => {
    const times = (counts.get(id) ?? 0) + 1
    counts.set(id, times)
    return times === 1 ? id : `${id}#${times}`
  })
}

/** Returns a 32-bit hash of a text: FNV-1a over its UTF-16 units, then mixed. Not cryptographic. */
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
