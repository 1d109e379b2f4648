import type { TurnOrigin } from './turns.ts'

/**
 * Returns the path of a member of a turn or part in the caller's request: `messages[0].content[1].image_url.url`. It is the
 * path of the part itself if the caller's dialect has no such member.
 *
 * @param member - as chat completions name it: `image_url.url`. A member of `extra` has the caller's own name.
 */
export function memberPath({ path, extra, members }: TurnOrigin, member: string): string {
  if (members === undefined) return `${path}.${member}`
  if (Object.hasOwn(members, member)) return `${path}.${members[member]}`
  const [first = ''] = member.split(/[.[]/, 1)
  return extra !== undefined && Object.hasOwn(extra, first) ? `${path}.${member}` : path
}
