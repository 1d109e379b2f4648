/** JSON in a text. */
export interface FoundJson {
  readonly value: unknown
  /** The text of the JSON alone, where the text has more than that. */
  readonly unwrapped?: string
}

const fence = '```'

/** Returns the JSON that a text is, or that is in its only code fence; `undefined` if there is none. */
export function findJson(text: string): FoundJson | undefined {
  const whole = parse(text)
  if (whole !== undefined) return whole
  const start = text.indexOf(fence)
  const end = text.indexOf(fence, start + fence.length)
  if (start === -1 || end === -1 || text.includes(fence, end + fence.length)) return undefined
  const block = text.slice(start + fence.length, end)
  // The first line may name the language.
  const unwrapped = block.replace(/^[a-z\d]{0,16}\s/i, '').trim()
  const inner = parse(unwrapped)
  return inner && { ...inner, unwrapped }
}

function parse(text: string): FoundJson | undefined {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch {
    return undefined
  }
}
