import { memberOf } from './own-members.ts'

/**
 * Returns the key under which state of a principal is stored: its source and its id. Two principals have the same key
 * only if both are the same. A source has no space, so that the first one separates the two.
 */
export function principalKey(principal: {
  readonly id: string
  readonly source?: string | undefined
}): string {
  return `${memberOf(principal, 'source') ?? ''} ${principal.id}`
}

/** Returns the value of a tag of a principal, or `undefined`. */
export function tagOf(
  principal: { readonly tags?: Readonly<Record<string, string>> | undefined },
  tag: string,
): string | undefined {
  const tags = memberOf(principal, 'tags')
  return typeof tags === 'object' && tags !== null && Object.hasOwn(tags, tag) ? tags[tag] : undefined
}
