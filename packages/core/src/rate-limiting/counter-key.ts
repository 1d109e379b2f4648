import type { Draft } from '../contracts/draft.ts'
import type { Principal, Scope } from '../contracts/principal.ts'
import { principalKey, tagOf } from '../primitives/principal-key.ts'
import { sha256Hex } from '../primitives/sha256.ts'

/** A part of the name of a count; `undefined` where the rule does not concern the request. */
export type KeyPart = (principal: Principal, draft: Draft, entry: string) => string | undefined

/** Longer values are known by their SHA-256: a caller may have a hand in them. */
const longest = 200

/**
 * A value in letters, digits and `_ . @ -`, and `~` with four hexadecimal digits for any other. No two values come to
 * the same text, and none to one with a mark that stands between the parts of a key.
 */
export function keyText(value: string): string {
  if (value.length <= longest && /^[\w.@-]*$/.test(value)) return value
  const text = value.replace(/[^\w.@-]/g, unit => `~${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
  return text.length <= longest ? text : `#${sha256Hex(text)}`
}

/**
 * The parts of the key that say who shares the count, in one order however the rule names them. A function is known by
 * its place among the functions of the same list of rules.
 */
export function scopeParts(scopes: readonly Scope[], functionMark: (scope: Scope) => string): KeyPart[] {
  const byMark = new Map<string, KeyPart>()
  for (const scope of scopes) {
    if (typeof scope === 'function') {
      const mark = functionMark(scope)
      byMark.set(mark, (principal, draft) => named(mark, nameOf(scope(principal, draft))))
    } else if (scope === 'key') byMark.set('key', principal => named('key', principalKey(principal)))
    else if (scope === 'model') byMark.set('model', (_principal, _draft, entry) => named('model', entry))
    else if (scope.startsWith('tag:')) {
      const tag = scope.slice('tag:'.length)
      const mark = `tag/${keyText(tag)}`
      byMark.set(mark, principal => named(mark, tagText(principal, tag)) ?? mark)
    }
    // `gateway` adds nothing: one count for everybody.
  }
  return [...byMark].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, part]) => part)
}

function named(mark: string, value: string | undefined): string | undefined {
  return value === undefined ? undefined : `${mark}=${keyText(value)}`
}

export function tagText(principal: Principal, tag: string): string | undefined {
  const value: unknown = tagOf(principal, tag)
  return value === undefined || value === null ? undefined : String(value)
}

function nameOf(name: unknown): string | undefined {
  if (name === undefined || typeof name === 'string') return name
  // Nobody waits for it: what it comes to is no name in time.
  if (typeof name === 'object' && name !== null) void Promise.resolve(name).catch(() => {})
  throw new TypeError(
    `The scope of a limit gave ${typeof name === 'object' ? 'an object' : String(name)}, expected a text, or undefined where the rule does not concern the request.`,
  )
}
