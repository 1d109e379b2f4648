/** The most that an attribute with words holds, in bytes of UTF-8. */
export const mostContentBytes = 65_536

const encoder = new TextEncoder()

/**
 * A list as JSON of at most `most` bytes. Members that do not fit are left out, from the beginning or from the end:
 * those of the side named `kept` stay.
 */
export function boundedJson(
  members: readonly object[],
  kept: 'first' | 'last',
  most: number = mostContentBytes,
): { readonly text: string; readonly truncated: boolean } {
  const texts: string[] = []
  let room = most - 1
  const ordered = kept === 'first' ? members : members.toReversed()
  for (const member of ordered) {
    const text = JSON.stringify(member)
    room -= encoder.encode(text).byteLength + 1
    if (room < 0) break
    texts.push(text)
  }
  if (kept === 'last') texts.reverse()
  return { text: `[${texts.join(',')}]`, truncated: texts.length < members.length }
}
