import type { Principal } from '@sluice/core'

/** The team of a caller, by one of its tags. */
export function teamOf(principal: Principal | undefined, teamTag: string): string | undefined {
  const tags = principal?.tags
  return tags !== undefined && Object.hasOwn(tags, teamTag) ? tags[teamTag] : undefined
}
