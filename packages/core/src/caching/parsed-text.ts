/** What a store's text says, or `undefined` where it is no JSON: somebody else has written it. */
export function parsedText(text: unknown): unknown {
  if (typeof text !== 'string') return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
