import { type CallTurnPart, type JsonObject, memberPath } from '@sluice/core/provider'
import type { AssistantTurn, Conversation, ToolResult, UserTurn } from '../conversation/conversation.ts'
import { ToolCallIds } from '../conversation/tool-call-ids.ts'
import { cannotSend, type ParameterAdjuster } from '../parameters/parameter-adjuster.ts'
import { isFields } from '../wire/json-value.ts'
import { parseJson } from '../wire/parse-json.ts'
import { modelParts } from './model-parts.ts'
import type { GeminiModel } from './models.ts'
import { type Part, type PartSettings, userPart } from './user-part.ts'

/** One turn of a request's `contents`. */
export interface Content {
  readonly role: 'user' | 'model'
  readonly parts: readonly Part[]
}

/** A turn that may still grow. */
interface OpenContent {
  readonly of: 'user' | 'model' | 'tools'
  readonly parts: Part[]
}

/**
 * The turns of a conversation. All tool results for one turn of the model are in one content, in the
 * order of the calls, because without ids only the order identifies two calls of one function. The user's words have
 * a content of their own: Vertex AI refuses them beside a function's response, and models read them as part of
 * it. Throws `GatewayError` (400) for a conversation without a turn, for an answer to no call, and for content
 * that Gemini does not take.
 */
export async function contentsOf(
  { turns }: Conversation,
  model: GeminiModel,
  settings: PartSettings,
  adjuster: ParameterAdjuster,
): Promise<Content[]> {
  const contents: OpenContent[] = []
  const ids = new ToolCallIds('free')
  let before: AssistantTurn | undefined
  for (const turn of turns) {
    if (turn.role === 'assistant') {
      before = turn
      add(contents, 'model', modelParts(turn, model, ids, adjuster))
      continue
    }
    const results = inOrder(turn.results, before)
    const responses: Part[] = []
    for (const result of results) {
      // The media of a result has no parameters.
      const media = model.signedCalls
        ? await mediaParts(result, { ...settings, mediaResolution: false }, adjuster)
        : []
      responses.push(resultPart(result, media, model, ids))
    }
    add(contents, 'tools', responses)
    if (!model.signedCalls) add(contents, 'user', await mediaAfter(results, settings, adjuster))
    add(contents, 'user', await userParts(turn, settings, adjuster))
  }
  if (contents.length === 0) {
    const param = adjuster.pathOf('messages')
    throw cannotSend(param, `Unsupported value: '${param}' holds no message of a user for this model.`)
  }
  return contents.map(({ of, parts }) => ({ role: of === 'model' ? 'model' : 'user', parts }))
}

/** A turn of the model that held nothing but another vendor's reasoning leaves two of the user as neighbours. */
function add(contents: OpenContent[], of: OpenContent['of'], parts: Part[]): void {
  const last = contents.at(-1)
  if (parts.length === 0) return
  if (last?.of !== of) contents.push({ of, parts })
  else append(last.parts, parts)
}

function append(parts: Part[], more: readonly Part[]): void {
  for (const part of more) parts.push(part)
}

function inOrder(results: readonly ToolResult[], before: AssistantTurn | undefined): readonly ToolResult[] {
  if (results.length < 2 || before === undefined) return results
  const places = new Map<CallTurnPart | undefined, number>()
  for (const item of before.items) if (item.kind === 'call') places.set(item.part, places.size)
  const place = ({ call }: ToolResult): number => places.get(call) ?? places.size
  return [...results].sort((a, b) => place(a) - place(b))
}

async function userParts(
  { items }: UserTurn,
  settings: PartSettings,
  adjuster: ParameterAdjuster,
): Promise<Part[]> {
  const parts: Part[] = []
  for (const item of items) {
    parts.push(item.kind === 'text' ? { text: item.text } : await userPart(item, settings, adjuster))
  }
  return parts
}

/** The images, sounds and files of results, as words of the user: models before Gemini 3 take none in a result. */
async function mediaAfter(
  results: readonly ToolResult[],
  settings: PartSettings,
  adjuster: ParameterAdjuster,
): Promise<Part[]> {
  const parts: Part[] = []
  for (const result of results) {
    const media = await mediaParts(result, settings, adjuster)
    if (media.length === 0) continue
    parts.push({ text: `Images and files of the result of '${result.call?.name}':` })
    append(parts, media)
    for (const item of result.items) {
      if (item.kind === 'part') adjuster.map(item.part, 'sent after the results, as words of the user')
    }
  }
  return parts
}

async function mediaParts(
  { items }: ToolResult,
  settings: PartSettings,
  adjuster: ParameterAdjuster,
): Promise<Part[]> {
  const parts: Part[] = []
  for (const item of items) if (item.kind === 'part') parts.push(await userPart(item, settings, adjuster))
  return parts
}

function resultPart(
  result: ToolResult,
  media: readonly Part[],
  { signedCalls }: GeminiModel,
  ids: ToolCallIds,
): Part {
  const { call, texts, isError } = result
  if (call === undefined) {
    const param = memberPath(result, 'tool_call_id')
    throw cannotSend(
      param,
      `Unsupported value: '${param}' answers no call of an earlier message, and this model needs the function's name.`,
    )
  }
  const said = texts.map(({ text }) => text)
  const response = isError ? { error: said.join('\n') } : functionResponse(said)
  const parts = media.length === 0 ? {} : { parts: media }
  return {
    functionResponse: {
      ...(signedCalls ? { id: ids.ofCall(call) } : {}),
      name: call.name,
      response,
      ...parts,
    },
  }
}

/**
 * What a tool answered as an object, which is all that Gemini takes. The text of a JSON object is given as that
 * object, so that the model sees its fields and not a string of escaped quotes. Any other text goes under
 * `result`. So does an object with a number that could lose digits on the way, and one with a `$ref`, such as a
 * schema: Gemini 3 takes that for the name of a file beside it, and refuses the request.
 */
function functionResponse(texts: readonly string[]): JsonObject {
  const text = texts.join('\n')
  if (/^\s*\{/.test(text) && !/\d{16}|\$ref|\\u0024/.test(text)) {
    try {
      const value = parseJson(text)
      if (isFields(value)) return value as JsonObject
    } catch {
      // It only looked like JSON.
    }
  }
  return { result: text }
}
