import type { Message } from '@sluice/core'
import { continuedFrom } from '../anthropic/signed-turns.ts'
import type { AssistantTurn, Conversation, ToolResult, UserTurn } from '../conversation/conversation.ts'
import type { ImageFetcher } from '../conversation/image-data.ts'
import { type Adjusting, cannotSend } from '../parameters/adjusting.ts'
import { cachePoints } from './cache-point.ts'
import type { BedrockModel } from './models.ts'
import { reasoningContent } from './reasoning-content.ts'
import { textBlocks } from './text-blocks.ts'
import { ToolUseIds } from './tool-use-ids.ts'
import { type Block, type UserContentWorld, userBlock } from './user-content.ts'

/** What decides how a conversation is written. */
export interface MessagesAsked {
  /** As the caller wrote them: to name the one that cannot be sent. */
  readonly messages: readonly Message[]
  readonly conversation: Conversation
  readonly model: BedrockModel
  /** The model may think in this request. */
  readonly thinks: boolean
  /** What stands before the user's first words. */
  readonly preface: readonly Block[]
  readonly fetchImage: ImageFetcher | undefined
  readonly signal: AbortSignal | undefined
}

/** A message of Converse. */
export interface ConverseMessage {
  readonly role: 'user' | 'assistant'
  readonly content: Block[]
}

/**
 * A conversation as Converse takes it: roles alternate, what tools answered stands first in its turn, blank
 * texts are left out, reasoning goes back where the model can check it, documents have a text beside them.
 *
 * Throws `GatewayError` (400): for parts that cannot be sent, for a conversation that is empty or does not
 * begin with the user, and for one that ends with the assistant where the model does not go on with that.
 */
export async function converseMessages(
  asked: MessagesAsked,
  adjusting: Adjusting,
): Promise<readonly ConverseMessage[]> {
  const { conversation, model, thinks, preface, fetchImage, signal } = asked
  const { turns } = conversation
  const ids = new ToolUseIds(model.toolIds)
  let documents = 0
  const world = { fetchImage, signal, adjusting, documentName: () => `document-${++documents}` }
  const continued = continuedFrom(turns) ?? turns.length
  const result: ConverseMessage[] = []
  for (const [at, turn] of turns.entries()) {
    // Without thinking, Claude takes no thoughts in the answer that it goes on with.
    const withThoughts = model.claude === undefined || thinks || at < continued
    const content =
      turn.role === 'user'
        ? await userContent(turn, ids, model, world)
        : assistantContent(turn, ids, model, withThoughts, at === turns.length - 1, adjusting)
    const last = result.at(-1)
    if (content.length === 0) continue
    if (last?.role === turn.role) last.content.push(...content)
    else result.push({ role: turn.role, content })
  }
  check(result, asked)
  result[0]?.content.unshift(...preface)
  for (const { content } of result) withTextBesideDocuments(content, adjusting)
  return result
}

async function userContent(
  { results, items }: UserTurn,
  ids: ToolUseIds,
  model: BedrockModel,
  world: UserContentWorld,
): Promise<Block[]> {
  const blocks: Block[] = results.flatMap(result => resultBlocks(result, ids, model))
  for (const item of items) {
    if (item.kind === 'text') blocks.push(...textBlocks([item], model))
    else blocks.push(await userBlock(item, world), ...cachePoints(item.cacheControl, model))
  }
  return blocks
}

/** A mark within a result is one on the result: there is no other place for it. */
function resultBlocks(
  { callId, texts, cacheControl }: ToolResult,
  ids: ToolUseIds,
  model: BedrockModel,
): Block[] {
  const content = texts.filter(({ text }) => text.trim() !== '').map(({ text }) => ({ text }))
  const mark = cacheControl ?? texts.findLast(text => text.cacheControl !== undefined)?.cacheControl
  return [{ toolResult: { toolUseId: ids.ofResult(callId), content } }, ...cachePoints(mark, model)]
}

function assistantContent(
  { items }: AssistantTurn,
  ids: ToolUseIds,
  model: BedrockModel,
  withThoughts: boolean,
  last: boolean,
  adjusting: Adjusting,
): Block[] {
  const blocks: Block[] = []
  let reasoningPath = ''
  for (const item of items) {
    switch (item.kind) {
      case 'reasoning':
        reasoningPath = item.path
        blocks.push(...reasoningContent(item, model, withThoughts, adjusting))
        break
      case 'text':
        blocks.push(...textBlocks([item], model))
        break
      case 'call':
        if (item.extraContent !== undefined) adjusting.drop(`${item.path}.extra_content`, "another vendor's")
        blocks.push(
          { toolUse: { toolUseId: ids.ofCall(item.id), name: item.name, input: item.arguments } },
          ...cachePoints(item.cacheControl, model),
        )
        break
    }
  }
  if (last) trimEnd(blocks)
  let spoken = blocks.length
  while (spoken > 0 && 'reasoningContent' in blocks[spoken - 1]!) spoken--
  if (spoken < blocks.length) {
    adjusting.drop(`${reasoningPath}.reasoning_details`, 'nothing was said after it')
    blocks.length = spoken
  }
  return blocks
}

/** White space at the end of words that the model has to go on with is refused. */
function trimEnd(blocks: Block[]): void {
  const at = blocks.findLastIndex(block => !('cachePoint' in block))
  const text = blocks[at]?.text
  if (typeof text === 'string') blocks[at] = { text: text.trimEnd() }
}

function check(result: readonly ConverseMessage[], { messages, model }: MessagesAsked): void {
  const first = result[0]
  if (first === undefined) {
    throw cannotSend(
      'messages',
      "Unsupported value: 'messages' holds no words of the user, which this model needs.",
    )
  }
  if (first.role === 'assistant') {
    const param = `messages[${messages.findIndex(({ role }) => role === 'assistant')}]`
    throw cannotSend(
      param,
      `Unsupported value: '${param}' begins the conversation, and this model takes only conversations that begin with the user.`,
    )
  }
  if (result.at(-1)?.role === 'assistant' && !model.prefill) {
    const param = `messages[${messages.findLastIndex(({ role }) => role === 'assistant')}]`
    throw cannotSend(
      param,
      `Unsupported value: '${param}' ends the conversation, and this model does not go on with words of the assistant. End with a message of the user.`,
    )
  }
}

/** Bedrock takes no document without a text in the same message. */
function withTextBesideDocuments(content: Block[], adjusting: Adjusting): void {
  if (!content.some(block => 'document' in block) || content.some(block => 'text' in block)) return
  adjusting.fill('messages', 'a text beside a document, which stood alone')
  content.push({ text: 'See the document.' })
}
