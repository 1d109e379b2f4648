import { addContent, checkEnds, checkToolPairs } from '../claude/messages.ts'
import type { Conversation, ToolResult, UserContent, UserTurn } from '../conversation/conversation.ts'
import { cacheMark } from '../conversation/extensions.ts'
import type { ImageFetcher } from '../conversation/image-data.ts'
import { ToolCallIds } from '../conversation/tool-call-ids.ts'
import type { ParameterAdjuster } from '../parameters/parameter-adjuster.ts'
import { isFields } from '../wire/json-value.ts'
import { assistantContent, whyNoReasoning } from './assistant-content.ts'
import { type CachePoint, cachePoints } from './cache-point.ts'
import type { BedrockModel } from './models.ts'
import { textBlocks } from './text-blocks.ts'
import { type Block, type UserContentContext, userBlock } from './user-content.ts'

/** What decides how a conversation is written. */
export interface MessagesInput {
  readonly conversation: Conversation
  readonly model: BedrockModel
  /** The model may think in this request. */
  readonly thinks: boolean
  readonly fetchImage: ImageFetcher | undefined
  readonly signal: AbortSignal | undefined
}

/** A message of Converse. */
export interface ConverseMessage {
  readonly role: 'user' | 'assistant'
  readonly content: Block[]
}

/**
 * A conversation as Converse takes it: roles alternate, tool results are first in their turn, blank
 * texts are left out, reasoning goes back where the model can check it, documents have a text beside them.
 *
 * Throws `GatewayError` (400): for parts that cannot be sent, for calls without results and results without calls,
 * for a conversation that is empty or does not begin with the user, and for one that ends with the assistant where
 * the model does not go on with that.
 */
export async function converseMessages(
  asked: MessagesInput,
  adjuster: ParameterAdjuster,
): Promise<readonly ConverseMessage[]> {
  const { conversation, model, thinks, fetchImage, signal } = asked
  const { turns } = conversation
  checkToolPairs(turns)
  const ids = new ToolCallIds(model.toolIds)
  let documents = 0
  const { given } = conversation
  const context = { fetchImage, signal, adjuster, given, documentName: () => `document-${++documents}` }
  const thoughtless = whyNoReasoning(conversation, model, thinks)
  const result: ConverseMessage[] = []
  for (const [at, turn] of turns.entries()) {
    const content =
      turn.role === 'user'
        ? await userContent(turn, ids, model, context)
        : assistantContent(turn, ids, model, reasoning => thoughtless(reasoning, at), adjuster)
    addContent(result, turn.role, content)
  }
  checkEnds(result, given, model.prefill, adjuster)
  const end = result.at(-1)
  if (end?.role === 'assistant') trimEnd(end.content)
  for (const { content } of result) withTextBesideDocuments(content, adjuster)
  return result
}

async function userContent(
  { results, items }: UserTurn,
  ids: ToolCallIds,
  model: BedrockModel,
  context: UserContentContext,
): Promise<Block[]> {
  const blocks: Block[] = []
  for (const result of results) blocks.push(...(await resultBlocks(result, ids, model, context)))
  for (const item of items) {
    if (item.kind === 'text') blocks.push(...textBlocks([item], model))
    else {
      const block = await userBlock(item, context)
      blocks.push(block, ...pointsAfter(block, item, model, context))
    }
  }
  return blocks
}

/** Bedrock turns a point that follows a document into something that Claude refuses, but for a PDF. */
function pointsAfter(
  { document }: Block,
  { cacheControl: mark, part }: UserContent,
  model: BedrockModel,
  { adjuster, given }: UserContentContext,
): readonly CachePoint[] {
  const points = cachePoints(mark, model)
  if (points.length === 0 || !isFields(document) || document.format === 'pdf') return points
  const why = 'of documents this vendor caches only PDF'
  const own = cacheMark(part)
  if (own !== undefined) adjuster.drop({ path: `${part.path}.cache_control` }, why)
  const turn = own === mark ? undefined : given.find(({ parts }) => parts.includes(part))
  if (turn !== undefined) adjuster.drop({ path: `${turn.path}.cache_control` }, why)
  return []
}

/** A mark within a result applies to the result, because Converse has no cache point within one. */
async function resultBlocks(
  { call, callId, items, isError, cacheControl }: ToolResult,
  ids: ToolCallIds,
  model: BedrockModel,
  context: UserContentContext,
): Promise<Block[]> {
  const content: Block[] = []
  for (const item of items) {
    if (item.kind === 'part') content.push(await userBlock(item, context))
    else if (item.text.trim() !== '') content.push({ text: item.text })
  }
  const mark = cacheControl ?? items.findLast(item => item.cacheControl !== undefined)?.cacheControl
  const status = isError ? { status: 'error' } : {}
  return [
    { toolResult: { toolUseId: ids.ofResult(call, callId), content, ...status } },
    ...cachePoints(mark, model),
  ]
}

/** White space at the end of words that the model has to go on with is refused. */
function trimEnd(blocks: Block[]): void {
  const at = blocks.findLastIndex(block => !('cachePoint' in block))
  const text = blocks[at]?.text
  if (typeof text === 'string') blocks[at] = { text: text.trimEnd() }
}

/** Bedrock takes no document without a text in the same message. */
function withTextBesideDocuments(content: Block[], adjuster: ParameterAdjuster): void {
  if (!content.some(block => 'document' in block) || content.some(block => 'text' in block)) return
  adjuster.fill('messages', 'a text beside a document, which stood alone')
  content.push({ text: 'See the document.' })
}
