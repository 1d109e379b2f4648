/**
 * The text after the last `in`, for a question without quotation marks or colon: `letters in the word tree`.
 * The user's own words for `in this sentence`. `undefined` where something else is named, such as `in the
 * alphabet` or `in my text`: its letters are not those of its name.
 */
export function namedSubject(text: string): string | undefined {
  const whole = text.trim()
  const match = /\b(?:in|of) ((?:the )?(?:word|sentence|text|phrase|string) )?([^\n]{1,500})$/i.exec(
    whole.slice(0, 1_000),
  )
  const subject = match?.[2]?.replace(/[?!.]+$/, '').trim()
  if (subject === undefined || subject === '') return undefined
  const own = /^this (sentence|question|line|text|message|prompt)$/i.exec(subject)?.[1]?.toLowerCase()
  if (own !== undefined) {
    const several = /[.!?]\s+\S|\n/.test(whole)
    return several && /^(?:sentence|question|line)$/.test(own) ? undefined : whole
  }
  const pointing =
    /^(?:the|an?|this|that|these|those|each|every|all|my|your|our|his|her|its|their|it|total|one)\b/i
  return match?.[1] === undefined && pointing.test(subject) ? undefined : subject
}
