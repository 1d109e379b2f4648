import type { ChatOptions, Turn } from './chat-types.ts'

/** A stored request as the chat shows it. */
export interface OpenedRequest {
  readonly options: Pick<ChatOptions, 'dialect' | 'model' | 'system' | 'temperature' | 'maxTokens'>
  /** All messages but the last one, if that is of the user. */
  readonly turns: readonly Turn[]
  /** The last message of the user. */
  readonly draft: string
  /** What the chat cannot show, such as `images` or `tools`. */
  readonly omitted: readonly string[]
}

type Members = Readonly<Record<string, unknown>>

/** The members that each dialect has for the same thing. */
const dialects = {
  '/chat/completions': {
    dialect: 'chat',
    messages: 'messages',
    system: undefined,
    maxTokens: ['max_completion_tokens', 'max_tokens'],
  },
  '/messages': { dialect: 'messages', messages: 'messages', system: 'system', maxTokens: ['max_tokens'] },
  '/responses': {
    dialect: 'responses',
    messages: 'input',
    system: 'instructions',
    maxTokens: ['max_output_tokens'],
  },
} as const

/** What every request of the chat sets itself. */
const ownMembers: readonly string[] = ['model', 'stream', 'stream_options', 'store', 'temperature']

/** Reads a stored request by the path of its endpoint. `undefined`: the chat has no such request. */
export function openedRequest(path: string, model: string, json: string): OpenedRequest | undefined {
  const end = (Object.keys(dialects) as (keyof typeof dialects)[]).find(name => path.endsWith(name))
  const body = objectOf(json)
  if (end === undefined || body === undefined) return undefined
  const { dialect, messages, system: systemName, maxTokens } = dialects[end]
  const omitted = new Set<string>()
  const textOf = (content: unknown): string => {
    const { text, isWhole } = textIn(content)
    if (!isWhole) omitted.add('images, files and calls')
    return text
  }
  const system: string[] = []
  if (systemName !== undefined && body[systemName] != null) system.push(textOf(body[systemName]))
  const turns: Turn[] = []
  for (const message of messagesOf(body[messages])) {
    const { role, content } = message
    if (role === 'system' || role === 'developer') system.push(textOf(content))
    else if (role === 'user' || role === 'assistant') {
      if (message.tool_calls !== undefined) omitted.add('images, files and calls')
      turns.push({ role, text: textOf(content), state: 'complete' })
    } else omitted.add('images, files and calls')
  }
  const known = [...ownMembers, messages, systemName, ...maxTokens]
  for (const name of Object.keys(body)) if (!known.includes(name)) omitted.add(name)
  const limit = maxTokens.map(name => body[name]).find(value => typeof value === 'number')
  const last = turns.at(-1)
  const draft = last?.role === 'user' ? last.text : ''
  return {
    options: {
      dialect,
      model: typeof body.model === 'string' ? body.model : model,
      system: system.join('\n\n'),
      temperature: typeof body.temperature === 'number' ? String(body.temperature) : '',
      maxTokens: limit === undefined ? '' : String(limit),
    },
    turns: draft === '' ? turns : turns.slice(0, -1),
    draft,
    omitted: [...omitted],
  }
}

function objectOf(json: string): Members | undefined {
  try {
    const value: unknown = JSON.parse(json)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The Responses API takes a text for one message of the user. */
function messagesOf(value: unknown): readonly Members[] {
  if (typeof value === 'string') return [{ role: 'user', content: value }]
  return Array.isArray(value) ? value.filter(isObject) : []
}

/** The text of a content, and whether that is all of it. */
function textIn(content: unknown): { readonly text: string; readonly isWhole: boolean } {
  if (typeof content === 'string') return { text: content, isWhole: true }
  if (content === null || content === undefined) return { text: '', isWhole: true }
  if (!Array.isArray(content)) return { text: '', isWhole: false }
  const texts = content.map(part => (isObject(part) && typeof part.text === 'string' ? part.text : undefined))
  return { text: texts.filter(text => text !== undefined).join('\n'), isWhole: !texts.includes(undefined) }
}
