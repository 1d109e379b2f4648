import type { Usage } from '@sluice/core'
import type { ChatCompletionChunk } from '@sluice/core/provider'
import type { ChatOptions, TokenCounts, Turn } from './chat-types.ts'

/** What an event of a streamed answer adds. */
export interface AnswerPiece {
  readonly text?: string
  readonly counts?: TokenCounts
  /** Whether it is the end of a complete answer. */
  readonly isEnd?: boolean
}

/** A protocol that the chat can speak. */
export interface ChatDialect {
  readonly label: string
  /** The path of the gateway's endpoint, below its base path. */
  readonly path: string
  /** The path of the console's own, below `console/`. */
  readonly consolePath: string
  /** What the end of a complete answer is called. */
  readonly endName: string
  body(options: ChatOptions, turns: readonly Turn[]): object
  /** Returns what an event adds, given the counts so far. Throws for one that is no JSON. */
  read(data: string, counts: TokenCounts | undefined): AnswerPiece
}

/** The Messages API requires a maximum. */
const defaultMaxTokens = 4_096

const chat: ChatDialect = {
  label: 'Chat completions',
  path: '/chat/completions',
  consolePath: 'api/chat',
  endName: '[DONE]',
  body: ({ model, system, temperature, maxTokens }, turns) => ({
    model,
    messages: [
      ...(system.trim() === '' ? [] : [{ role: 'system', content: system.trim() }]),
      ...messagesOf(turns),
    ],
    ...(temperature === '' ? {} : { temperature: Number(temperature) }),
    ...(maxTokens === '' ? {} : { max_completion_tokens: Number(maxTokens) }),
    stream: true,
    stream_options: { include_usage: true },
  }),
  read: data => {
    if (data === '[DONE]') return { isEnd: true }
    const { choices, usage }: ChatCompletionChunk = JSON.parse(data)
    const { content, refusal } = choices[0]?.delta ?? {}
    return { ...textPiece(content ?? refusal), ...(usage ? { counts: countsOf(usage) } : {}) }
  },
}

/** The members of an event of the Messages API that the chat reads. */
interface MessagesEvent {
  readonly type?: string
  readonly message?: { readonly usage?: MessagesUsage }
  readonly usage?: MessagesUsage
  readonly delta?: { readonly text?: unknown }
}

interface MessagesUsage {
  readonly input_tokens?: number | null
  readonly cache_read_input_tokens?: number | null
  readonly cache_creation_input_tokens?: number | null
  readonly output_tokens?: number | null
}

const messages: ChatDialect = {
  label: 'Messages',
  path: '/messages',
  consolePath: 'api/messages',
  endName: 'message_stop',
  body: ({ model, system, temperature, maxTokens }, turns) => ({
    model,
    max_tokens: maxTokens === '' ? defaultMaxTokens : Number(maxTokens),
    ...(system.trim() === '' ? {} : { system: system.trim() }),
    messages: messagesOf(turns),
    ...(temperature === '' ? {} : { temperature: Number(temperature) }),
    stream: true,
  }),
  read: (data, counts) => {
    const { type, message, usage = message?.usage, delta }: MessagesEvent = JSON.parse(data)
    if (type === 'message_stop') return { isEnd: true }
    return { ...textPiece(delta?.text), ...(usage ? { counts: messagesCounts(usage, counts) } : {}) }
  },
}

/** The members of an event of the Responses API that the chat reads. */
interface ResponseEvent {
  readonly type?: string
  readonly delta?: unknown
  readonly response?: { readonly usage?: ResponseUsage | null }
}

interface ResponseUsage {
  readonly input_tokens: number
  readonly output_tokens: number
}

const responses: ChatDialect = {
  label: 'Responses',
  path: '/responses',
  consolePath: 'api/responses',
  endName: '[DONE]',
  body: ({ model, system, temperature, maxTokens }, turns) => ({
    model,
    ...(system.trim() === '' ? {} : { instructions: system.trim() }),
    input: messagesOf(turns),
    ...(temperature === '' ? {} : { temperature: Number(temperature) }),
    ...(maxTokens === '' ? {} : { max_output_tokens: Number(maxTokens) }),
    store: false,
    stream: true,
  }),
  read: data => {
    if (data === '[DONE]') return { isEnd: true }
    const { type, delta, response }: ResponseEvent = JSON.parse(data)
    const isText = type === 'response.output_text.delta' || type === 'response.refusal.delta'
    const usage = response?.usage
    return {
      ...(isText ? textPiece(delta) : {}),
      ...(usage ? { counts: { input: usage.input_tokens, output: usage.output_tokens } } : {}),
    }
  },
}

/** By name. */
export const chatDialects = { chat, responses, messages } as const satisfies Readonly<
  Record<string, ChatDialect>
>

export type ChatDialectName = keyof typeof chatDialects

/** What failed or was never answered is left out. */
function messagesOf(turns: readonly Turn[]): object[] {
  return turns
    .filter(({ role, text }) => role === 'user' || text !== '')
    .map(({ role, text }) => ({ role, content: text }))
}

function textPiece(text: unknown): AnswerPiece {
  return typeof text === 'string' && text !== '' ? { text } : {}
}

function countsOf({ prompt_tokens, completion_tokens }: Usage): TokenCounts {
  return { input: prompt_tokens, output: completion_tokens }
}

/** Later events repeat only some counts. */
function messagesCounts(usage: MessagesUsage, before: TokenCounts | undefined): TokenCounts {
  const { input_tokens: input, cache_read_input_tokens: read, cache_creation_input_tokens: written } = usage
  return {
    input: typeof input === 'number' ? input + (read ?? 0) + (written ?? 0) : (before?.input ?? 0),
    output: usage.output_tokens ?? before?.output ?? 0,
  }
}
