import type { CallTurnPart, ResultTurnPart, Turn } from '@sluice/core/provider'

/** The calls with one id in neighbouring turns of the assistant, and how many results they have. */
interface CallGroup {
  readonly round: number
  readonly calls: CallTurnPart[]
  results: number
}

/**
 * Returns the call that each result answers: the nearest before it with its id. If neighbouring turns of the assistant
 * have several calls with that id, results answer them in order, and further results the last one. Results without a call
 * are not in the map. Some clients number the calls of each turn from the start, so that ids repeat in a conversation.
 */
export function pairResults(turns: readonly Turn[]): ReadonlyMap<ResultTurnPart, CallTurnPart> {
  const callsByResult = new Map<ResultTurnPart, CallTurnPart>()
  const byId = new Map<string, CallGroup>()
  let round = 0
  for (const { role, parts } of turns) {
    if (role === 'user' || role === 'tool') round++
    for (const part of parts) {
      if (part.kind === 'call') {
        const group = byId.get(part.id)
        if (group?.round === round) group.calls.push(part)
        else byId.set(part.id, { round, calls: [part], results: 0 })
      } else if (part.kind === 'result') {
        const group = byId.get(part.callId)
        if (group !== undefined) callsByResult.set(part, group.calls[group.results++] ?? group.calls.at(-1)!)
      }
    }
  }
  return callsByResult
}
