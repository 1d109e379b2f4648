import type { RequestDecision, RequestText, ResponseDecision } from '@sluice/core'

const expected = 'The webhook responded with an invalid answer, expected'

/**
 * Returns the decision that an endpoint has made about a request. It can replace the texts that it was sent. Throws for an invalid
 * answer, with nothing of it in the message.
 */
export function requestAnswer(answer: unknown, texts: readonly RequestText[]): RequestDecision | undefined {
  const { edits, ...decided } = membersOf(answer, 'edits')
  if (edits === undefined) return decisionOf(decided)
  const paths = new Set(texts.map(({ path }) => JSON.stringify(path)))
  const isEdit = (edit: unknown) => {
    const { path, value } = (edit ?? {}) as { path?: unknown; value?: unknown }
    return typeof value === 'string' && paths.has(JSON.stringify(path))
  }
  if (!Array.isArray(edits) || !edits.every(isEdit)) {
    throw new TypeError(`${expected} edits of { path, value }, with the paths of the texts and strings.`)
  }
  return { edits: edits as NonNullable<RequestDecision['edits']> }
}

/** Returns the decision that an endpoint has made about a response. It can replace the texts of choices. Throws for an invalid answer. */
export function responseAnswer(answer: unknown, choices: readonly number[]): ResponseDecision | undefined {
  const { texts, ...decided } = membersOf(answer, 'texts')
  if (texts === undefined) return decisionOf(decided)
  const isText = (each: unknown) => {
    const { choice, text } = (each ?? {}) as { choice?: unknown; text?: unknown }
    return typeof text === 'string' && choices.includes(choice as number)
  }
  if (!Array.isArray(texts) || !texts.every(isText)) {
    throw new TypeError(`${expected} texts of { choice, text }, with the choices of the response.`)
  }
  return { texts: texts as NonNullable<ResponseDecision['texts']> }
}

/** Returns the only member of an answer. */
function membersOf(
  answer: unknown,
  change: 'edits' | 'texts',
): Partial<Record<'allow' | 'refuse' | 'edits' | 'texts', unknown>> {
  const isObject = typeof answer === 'object' && answer !== null && !Array.isArray(answer)
  const names = isObject ? Object.keys(answer) : []
  if (names.length !== 1 || !['allow', 'refuse', change].includes(names[0]!)) {
    throw new TypeError(`${expected} an object with allow, refuse or ${change}.`)
  }
  return answer as Partial<Record<'allow' | 'refuse' | 'edits' | 'texts', unknown>>
}

function decisionOf({
  allow,
  refuse,
}: {
  allow?: unknown
  refuse?: unknown
}): { refuse: { message: string } } | undefined {
  if (allow === true) return undefined
  const message = (refuse as { message?: unknown } | null | undefined)?.message
  if (typeof message !== 'string' || message === '' || message.length > 1_000) {
    throw new TypeError(`${expected} { allow: true }, or refuse with a message of 1 to 1000 characters.`)
  }
  return { refuse: { message } }
}
