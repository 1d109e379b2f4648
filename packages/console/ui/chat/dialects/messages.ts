import type { ChatOptions, TokenCounts, Turn } from '../chat-types.ts'
import {
  type AnswerPiece,
  type ChatDialect,
  numberMember,
  reasoningPiece,
  sentTurns,
  stopSequences,
  textPiece,
  typedTools,
} from './chat-dialect.ts'

/** The Messages API requires a maximum. */
const defaultMaxTokens = 4_096

export const messages: ChatDialect = {
  label: 'Messages',
  path: '/messages',
  consolePath: 'api/messages',
  endName: 'message_stop',
  maxTemperature: 1,
  efforts: ['low', 'medium', 'high', 'xhigh', 'max'],
  lacks: ['seed'],
  body: (options, turns) => {
    const { model, system, temperature, topP, maxTokens, stop, effort } = options
    const stops = stopSequences(stop)
    return {
      model,
      max_tokens: maxTokens === '' ? defaultMaxTokens : Number(maxTokens),
      ...(system.trim() === '' ? {} : { system: system.trim() }),
      messages: messagesOf(sentTurns(turns)),
      ...numberMember('temperature', temperature),
      ...numberMember('top_p', topP),
      ...(stops.length === 0 ? {} : { stop_sequences: stops }),
      ...(messages.efforts.includes(effort) ? { output_config: { effort } } : {}),
      ...toolsOf(options),
      stream: true,
    }
  },
  read: (data, counts) => {
    const event: MessagesEvent = JSON.parse(data)
    if (event.type === 'message_stop') return { isEnd: true }
    const { message, usage = message?.usage, delta } = event
    return {
      ...textPiece(delta?.text),
      ...reasoningPiece(delta?.thinking),
      ...callPiece(event),
      ...(usage ? { counts: countsOf(usage, counts) } : {}),
    }
  },
}

/** The members of an event of the Messages API that the chat reads. */
interface MessagesEvent {
  readonly type?: string
  readonly index?: number
  readonly message?: { readonly usage?: MessagesUsage }
  readonly usage?: MessagesUsage
  readonly content_block?: { readonly type?: string; readonly id?: string; readonly name?: string }
  readonly delta?: { readonly text?: unknown; readonly thinking?: unknown; readonly partial_json?: unknown }
}

interface MessagesUsage {
  readonly input_tokens?: number | null
  readonly cache_read_input_tokens?: number | null
  readonly cache_creation_input_tokens?: number | null
  readonly output_tokens?: number | null
}

function callPiece({ index = 0, content_block: block, delta }: MessagesEvent): Pick<AnswerPiece, 'calls'> {
  if (block?.type === 'tool_use') {
    const { id = '', name = '' } = block
    return { calls: [{ at: index, id, name }] }
  }
  const json = delta?.partial_json
  return typeof json === 'string' ? { calls: [{ at: index, arguments: json }] } : {}
}

function toolsOf(options: ChatOptions): object {
  const tools = typedTools(options)
  if (tools.length === 0) return {}
  return { tools: tools.map(({ schema, ...tool }) => ({ ...tool, input_schema: schema })) }
}

/** The results of one answer's calls are one message. */
function messagesOf(turns: readonly Turn[]): readonly object[] {
  const sent: { role: string; content: string | object[] }[] = []
  let results: object[] | undefined
  for (const turn of turns) {
    if (turn.role === 'tool') {
      const block = { type: 'tool_result', tool_use_id: turn.resultOf?.id, content: turn.text }
      if (results === undefined) {
        results = [block]
        sent.push({ role: 'user', content: results })
      } else {
        results.push(block)
      }
      continue
    }
    results = undefined
    sent.push({ role: turn.role, content: contentOf(turn) })
  }
  return sent
}

function contentOf({ text, images = [], calls = [] }: Turn): string | object[] {
  if (images.length === 0 && calls.length === 0) return text
  return [
    ...images.map(({ type, data }) => ({
      type: 'image',
      source: { type: 'base64', media_type: type, data },
    })),
    ...(text === '' ? [] : [{ type: 'text', text }]),
    ...calls.map(({ id, name, arguments: json }) => ({
      type: 'tool_use',
      id,
      name,
      input: inputOf(json),
    })),
  ]
}

/** The input of a call must be an object, whatever the model wrote. */
function inputOf(json: string): object {
  try {
    const input: unknown = JSON.parse(json)
    return typeof input === 'object' && input !== null && !Array.isArray(input) ? input : {}
  } catch {
    return {}
  }
}

/** Later events repeat only some counts. */
function countsOf(usage: MessagesUsage, before: TokenCounts | undefined): TokenCounts {
  const { input_tokens: input, cache_read_input_tokens: read, cache_creation_input_tokens: written } = usage
  return {
    input: typeof input === 'number' ? input + (read ?? 0) + (written ?? 0) : (before?.input ?? 0),
    output: usage.output_tokens ?? before?.output ?? 0,
  }
}
