import type { UpstreamRequest } from '@sluice/core/provider'
import type { Block as AnthropicBlock, MessagesRequest } from '../stand-ins/anthropic/messages-request.ts'
import type { ConverseRequest } from '../stand-ins/bedrock/converse-request.ts'
import type { GenerateRequest, Part } from '../stand-ins/gemini/generate-request.ts'
import type { ResponsesBody, ResponsesItem, ResponsesPart } from '../stand-ins/openai/responses-request.ts'
import type { Item, Reading } from './reading.ts'
import { dataOf, parsed, readingOfRequest } from './reading-of-request.ts'
import type { Wire } from './wire.ts'

/** Reads a vendor's request. */
export type Read = (request: UpstreamRequest) => Reading

export const bodyOf = <T>({ body }: UpstreamRequest): T => JSON.parse(String(body)) as T

const readChat: Read = request => readingOfRequest(bodyOf(request))

const readMessages: Read = request => {
  const { system = [], messages, tools = [] } = bodyOf<MessagesRequest>(request)
  return {
    system: typeof system === 'string' ? [system] : system.map(({ text }) => text ?? ''),
    turns: messages.map(({ role, content }) => ({
      role,
      items: typeof content === 'string' ? [{ kind: 'text', text: content }] : content.flatMap(messagesItem),
    })),
    tools: tools.map(tool => {
      const { name, input_schema: schema, description } = tool as typeof tool & { description?: string }
      return { name, description, schema }
    }),
  }
}

function messagesItem(block: AnthropicBlock): Item[] {
  const { type, text, source, id, name, input, content } = block
  switch (type) {
    case 'text':
      return [{ kind: 'text', text: text! }]
    case 'image':
    case 'document':
      return [{ kind: 'data', data: source?.data ?? String((source as { url?: string }).url) }]
    case 'tool_use':
      return [{ kind: 'call', id, name: name!, input }]
    case 'tool_result': {
      const inner = typeof content === 'string' ? content : (content ?? []).map(part => part.text).join('')
      return [{ kind: 'result', of: block.tool_use_id!, text: inner }]
    }
    default:
      return []
  }
}

const readGenerate: Read = request => {
  const { systemInstruction, contents, tools = [] } = bodyOf<GenerateRequest>(request)
  return {
    system: (systemInstruction?.parts ?? []).map(({ text }) => text ?? ''),
    turns: contents.map(({ role, parts }) => ({
      role: role === 'model' ? 'assistant' : 'user',
      items: parts.flatMap(generateItem),
    })),
    tools: tools.flatMap(({ functionDeclarations: declared }) =>
      declared.map(declaration => {
        const { name, parameters, parametersJsonSchema, description } = declaration as typeof declaration & {
          description?: string
        }
        return { name, description, schema: parametersJsonSchema ?? parameters }
      }),
    ),
  }
}

function generateItem(part: Part & { fileData?: { fileUri: string } }): Item[] {
  const { text, thought, inlineData, fileData, functionCall: call, functionResponse: result } = part
  if (call !== undefined) return [{ kind: 'call', id: call.id, name: call.name, input: call.args ?? {} }]
  if (result !== undefined) {
    const values = Object.values(result.response)
    const plain = values.length === 1 && typeof values[0] === 'string' ? values[0] : undefined
    return [{ kind: 'result', of: result.id ?? result.name, text: plain ?? JSON.stringify(result.response) }]
  }
  if (inlineData !== undefined) return [{ kind: 'data', data: inlineData.data }]
  if (fileData !== undefined) return [{ kind: 'data', data: fileData.fileUri }]
  return thought === true || text === undefined || text === '' ? [] : [{ kind: 'text', text }]
}

const readConverse: Read = request => {
  const { system = [], messages, toolConfig } = bodyOf<ConverseRequest>(request)
  return {
    system: system.flatMap(({ text }) => text ?? []),
    turns: messages.map(({ role, content }) => ({
      role,
      items: content.flatMap((block): Item[] => {
        const { text, image, document, toolUse, toolResult } = block as typeof block & {
          document?: { source: { bytes?: string; text?: string } }
        }
        if (text !== undefined) return [{ kind: 'text', text }]
        if (image !== undefined) return [{ kind: 'data', data: image.source.bytes! }]
        if (document !== undefined)
          return [{ kind: 'data', data: document.source.bytes ?? document.source.text! }]
        if (toolUse !== undefined) {
          return [{ kind: 'call', id: toolUse.toolUseId, name: toolUse.name, input: toolUse.input }]
        }
        if (toolResult === undefined) return []
        const words = toolResult.content.map(({ text: said, json }) => said ?? JSON.stringify(json))
        return [{ kind: 'result', of: toolResult.toolUseId, text: words.join('') }]
      }),
    })),
    tools: (toolConfig?.tools ?? []).flatMap(({ toolSpec }) => {
      if (toolSpec === undefined) return []
      const { name, inputSchema, description } = toolSpec as typeof toolSpec & { description?: string }
      return [{ name, description, schema: inputSchema.json }]
    }),
  }
}

/** Of a reasoning model, by whichever API it is called. */
const readResponses: Read = request => {
  if (request.url.endsWith('/chat/completions')) return readChat(request)
  const { input, tools = [] } = bodyOf<ResponsesBody>(request)
  const turns: { role: 'user' | 'assistant'; items: Item[] }[] = []
  for (const item of input) {
    if (item.type === 'reasoning' || item.role === 'system' || item.role === 'developer') continue
    const isAnswer = item.role === 'assistant' || item.type.endsWith('_call')
    const role = isAnswer ? 'assistant' : 'user'
    if (turns.at(-1)?.role !== role) turns.push({ role, items: [] })
    turns.at(-1)!.items.push(...responsesItems(item))
  }
  return {
    system: input.flatMap(({ role, content }) =>
      role === 'system' || role === 'developer' ? content!.map(({ text }) => text!) : [],
    ),
    turns,
    tools: tools
      .filter(({ type }) => type !== 'web_search')
      .map(({ name, description, parameters }) => ({ name, description, schema: parameters ?? undefined })),
  }
}

function responsesItems(item: ResponsesItem): Item[] {
  const { type, call_id: id = '', output, content = [] } = item
  switch (type) {
    case 'function_call': {
      const json = item.arguments!
      return [{ kind: 'call', id, name: item.name!, input: parsed(json) }]
    }
    case 'function_call_output':
      return [{ kind: 'result', of: id, text: typeof output === 'string' ? output : textOf(output) }]
    case 'message':
      return content.map(({ text, refusal, image_url, file_data, file_id }): Item => {
        const said = text ?? refusal
        if (said !== undefined) return { kind: 'text', text: said }
        return { kind: 'data', data: dataOf(image_url ?? file_data ?? file_id ?? '') }
      })
    default:
      return []
  }
}

function textOf(parts: readonly ResponsesPart[] = []): string {
  return parts.map(({ text }) => text).join('')
}

export const readers: Readonly<Record<Wire, Read>> = {
  chat: readChat,
  messages: readMessages,
  generate: readGenerate,
  converse: readConverse,
  responses: readResponses,
}
