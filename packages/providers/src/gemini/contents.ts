import type { Conversation, ToolResult, UserTurn } from '../conversation/conversation.ts'
import { type Adjusting, cannotSend } from '../parameters/adjusting.ts'
import { functionResponse } from './function-response.ts'
import { modelParts } from './model-parts.ts'
import type { GeminiModel } from './models.ts'
import { type Part, type PartSettings, userPart } from './user-part.ts'

/** One turn of a request's `contents`. */
export interface Content {
  readonly role: 'user' | 'model'
  readonly parts: readonly Part[]
}

/**
 * The turns of a conversation. All that tools answered to one turn of the model stands in one turn of the user,
 * as Gemini counts. Throws `GatewayError` (400) for a conversation without a turn, for an answer to no call, and
 * for content that Gemini does not take.
 */
export async function contentsOf(
  { turns }: Conversation,
  model: GeminiModel,
  settings: PartSettings,
  adjusting: Adjusting,
): Promise<Content[]> {
  const contents: Content[] = []
  for (const turn of turns) {
    const role = turn.role === 'user' ? 'user' : 'model'
    const parts =
      turn.role === 'user'
        ? await userParts(turn, model, settings, adjusting)
        : modelParts(turn, model, adjusting)
    // A turn of the model that held nothing but another vendor's reasoning leaves two of the user as neighbours.
    const last = contents.at(-1)
    if (parts.length === 0) continue
    if (last?.role === role) contents[contents.length - 1] = { role, parts: [...last.parts, ...parts] }
    else contents.push({ role, parts })
  }
  if (contents.length > 0) return contents
  throw cannotSend('messages', "Unsupported value: 'messages' holds no message of a user for this model.")
}

async function userParts(
  { results, items }: UserTurn,
  model: GeminiModel,
  settings: PartSettings,
  adjusting: Adjusting,
): Promise<Part[]> {
  const parts = results.map(result => resultPart(result, model))
  for (const item of items) {
    parts.push(item.kind === 'text' ? { text: item.text } : await userPart(item, settings, adjusting))
  }
  return parts
}

function resultPart({ callId, name, texts, path }: ToolResult, { signedCalls }: GeminiModel): Part {
  if (name === undefined) {
    throw cannotSend(
      `${path}.tool_call_id`,
      `Unsupported value: '${path}.tool_call_id' answers no call of an earlier message, and this model needs the function's name.`,
    )
  }
  const response = functionResponse(texts.map(({ text }) => text))
  return { functionResponse: { ...(signedCalls ? { id: callId } : {}), name, response } }
}
