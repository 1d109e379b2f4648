import { withUsageCost } from '../protocol/usage-cost.ts'

/** Where answers have their usage: at the top, and in the last event of a stream of responses in that response. */
const paths: readonly (readonly string[])[] = [['usage'], ['response', 'usage']]

/**
 * Returns the text of a stored answer with another cost in US dollars. An answer without usage is returned unchanged.
 *
 * @param stream - whether the text is server-sent events, whose data are JSON; otherwise it is JSON.
 * @param cost - `undefined` removes it.
 */
export function withAnswerCost(text: string, stream: boolean, cost: number | undefined): string {
  const answer = { cost: () => cost }
  if (!stream) return withUsageCost(text, ['usage'], answer)
  return text.replace(eventsWithUsage, line =>
    paths.reduce((data, path) => withUsageCost(data, path, answer), line),
  )
}

/** Returns the text of an answer without its cost. */
export function withoutAnswerCost(text: string, stream: boolean): string {
  return withAnswerCost(text, stream, undefined)
}

/** The data of events that may have usage. */
const eventsWithUsage = /(?<=^data: ?)\{.*"usage".*\}$/gm
