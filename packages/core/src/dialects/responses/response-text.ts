import type {
  AnswerDelta,
  AnswerIdentity,
  CompleteAnswer,
  FinishedResponse,
} from '../../contracts/dialect.ts'
import { UpstreamError } from '../../errors/upstream-error.ts'
import { type AnsweredRequest, AnswerOutput } from './answer-output.ts'
import { noEvents } from './events.ts'
import { responseObject, responseSettings } from './response-object.ts'

/** Writes a complete answer as a response. Throws `UpstreamError` of kind `garbled` for an answer without a choice. */
export function writeResponse(
  answer: CompleteAnswer,
  identity: AnswerIdentity,
  request: AnsweredRequest,
  newId: () => string,
): string {
  return JSON.stringify(finishResponse(answer, identity, request, newId).response(false))
}

/** Returns a complete answer as a response that may be stored before it is sent. Throws what `writeResponse` throws. */
export function finishResponse(
  answer: CompleteAnswer,
  identity: AnswerIdentity,
  request: AnsweredRequest,
  newId: () => string,
): FinishedResponse {
  const deltas = answer.deltas().filter(({ index }) => index === 0)
  if (!deltas.some(({ finish }) => finish !== null))
    throw new UpstreamError('The upstream answered without a choice.', { kind: 'garbled' })
  const output = new AnswerOutput(identity, request, newId, noEvents, false)
  for (const delta of withDetailsFirst(deltas)) output.add(delta)
  const end = output.end()
  const settings = responseSettings(request.body)
  const serviceTier = answer.completion().service_tier
  const state = { ...end, output: output.values, usage: answer.usage, serviceTier }
  const completedAt = identity.now?.()
  return {
    response: stored => responseObject(identity, settings, { ...state, completedAt, stored }),
    items: output.storedValues,
  }
}

/**
 * Moves what vendors want back in front of all that follows the first reasoning, where a stream would have it only if the vendor
 * sent it in time. Details whose position is known stay there.
 */
function withDetailsFirst(deltas: readonly AnswerDelta[]): readonly AnswerDelta[] {
  const details = deltas.flatMap(({ delta }) => delta.reasoning_details ?? [])
  if (details.length === 0 || deltas.some(({ delta }) => delta.ended_reasoning !== undefined)) return deltas
  const first = deltas.findIndex(({ delta }) => !delta.reasoning_content)
  const at = first === -1 ? deltas.length : first
  return deltas.map((each, index) => {
    const { reasoning_details: _, ...delta } = each.delta
    // Before the content of the delta: in one delta, details precede it.
    const isFirst = index === Math.min(at, deltas.length - 1)
    return { ...each, delta: isFirst ? { ...delta, reasoning_details: details } : delta }
  })
}
