import type { AnswerIdentity, CompleteAnswer } from '../../contracts/dialect.ts'
import type { GenerateRequest } from '../../conversation/generate-request.ts'
import { UpstreamError } from '../../errors/upstream-error.ts'
import { answerContent, type ContentBlock, hasCitations } from './answer-content.ts'
import { callIdsIn, writtenCallId } from './call-ids.ts'
import { lostCitations } from './losses.ts'
import { stopFields } from './stop-reason.ts'
import { longNamesIn } from './tool-names.ts'
import { messageUsage } from './usage.ts'

/** Writes a complete answer as a message. Throws `UpstreamError` of kind `garbled` for an answer without a choice. */
export function messageText(
  answer: CompleteAnswer,
  identity: AnswerIdentity,
  request: GenerateRequest,
  newId: () => string,
): string {
  const deltas = answer.deltas().filter(({ index }) => index === 0)
  const last = deltas.findLast(({ finish }) => finish !== null)
  if (last === undefined)
    throw new UpstreamError('The upstream answered without a choice.', { kind: 'garbled' })
  const { finish } = last
  const earlierIds = () => callIdsIn(request.body)
  const content = answerContent(deltas, finish === 'length', newId, earlierIds, () => identity.realm?.())
  if (deltas.some(({ delta }) => hasCitations(delta))) identity.adjusted?.(lostCitations)
  const stop = stopFields({
    finish,
    called: content.some(({ type }) => type === 'tool_use'),
    refusal: deltas.map(({ delta }) => delta.refusal ?? '').join(''),
    fields: deltas.findLast(({ fields }) => fields !== undefined)?.fields,
    stop: request.settings().stop,
  })
  const head = JSON.stringify({ id: identity.id, type: 'message', role: 'assistant', model: identity.model })
  const usage = {
    ...messageUsage(answer.usage, identity.cost?.()),
    cache_creation: null,
    service_tier: 'standard',
  }
  const tail = JSON.stringify({ ...stop, container: null, usage })
  const names = longNamesIn(request.body)
  const blocks = content.map(block => blockText(block, names))
  return `${head.slice(0, -1)},"content":[${blocks.join()}],${tail.slice(1)}`
}

/** The input is written as the vendor wrote it: a number may have more digits than JavaScript's. */
function blockText(block: ContentBlock, longNames: ReadonlyMap<string, string>): string {
  if (block.type !== 'tool_use') return JSON.stringify(block)
  const { type, id, input } = block
  const name = longNames.get(block.name) ?? block.name
  return `${JSON.stringify({ type, id: writtenCallId(id), name }).slice(0, -1)},"input":${input}}`
}
