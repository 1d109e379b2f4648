import type { ChatImage, ToolCall, Turn } from './chat-types.ts'
import { imageTypes } from './read-images.ts'

/** An object of a stored request. */
export type Members = Readonly<Record<string, unknown>>

/** The messages of a stored request as the turns of a chat. */
export interface OpenedTurns {
  readonly turns: readonly Turn[]
  /** The texts of system messages. */
  readonly system: readonly string[]
}

/** Receives what the chat cannot show, such as `files`. */
export type OmitPart = (what: string) => void

/** Reads the `messages` of chat completions. */
export function turnsOfChat(value: unknown, omit: OmitPart): OpenedTurns {
  const { turns, system, add, result } = builder()
  for (const { role, content, tool_calls: calls, tool_call_id: id, ...more } of membersOf(value)) {
    omitMembers(more, omit)
    if (role === 'user') add({ role, ...contentOf(content, omit) })
    else if (role === 'system' || role === 'developer') system.push(textIn(content, omit))
    else if (role === 'assistant')
      add({
        role,
        text: textIn(content, omit),
        calls: membersOf(calls).flatMap(call => {
          const called = isObject(call.function) ? call.function : undefined
          if (called === undefined) omit('calls of other tools than functions')
          return called === undefined ? [] : [callOf(call.id, called.name, called.arguments)]
        }),
      })
    else if (role === 'tool') result(id, textIn(content, omit))
    else omit('messages of other roles')
  }
  return { turns, system }
}

/** Reads the `messages` of the Messages API: results of tools are blocks of a message of the user. */
export function turnsOfMessages(value: unknown, omit: OmitPart): OpenedTurns {
  const { turns, system, add, result } = builder()
  for (const { role, content, ...more } of membersOf(value)) {
    omitMembers(more, omit)
    const blocks = Array.isArray(content) ? membersOf(content) : []
    const results = blocks.filter(({ type }) => type === 'tool_result')
    for (const { type: _, tool_use_id: id, content: text, ...others } of results) {
      omitMembers(others, omit)
      result(id, textIn(text, omit))
    }
    const calls = blocks
      .filter(({ type }) => type === 'tool_use')
      .map(({ type: _, id, name, input, ...others }) => {
        omitMembers(others, omit)
        return callOf(id, name, JSON.stringify(input ?? {}))
      })
    const rest = Array.isArray(content)
      ? content.filter(block => !isObject(block) || !['tool_result', 'tool_use'].includes(String(block.type)))
      : content
    if (role === 'system') system.push(textIn(rest, omit))
    else if (role === 'assistant') add({ role, text: textIn(rest, omit), calls })
    else if (role !== 'user') omit('messages of other roles')
    else {
      const { text, images } = contentOf(rest, omit)
      if (text !== '' || images.length > 0 || results.length === 0) add({ role, text, images })
    }
  }
  return { turns, system }
}

/** Reads the `input` of the Responses API: a text is a message of the user, and calls are items of their own. */
export function turnsOfResponses(value: unknown, omit: OmitPart): OpenedTurns {
  const { turns, system, add, result } = builder()
  const items = typeof value === 'string' ? [{ role: 'user', content: value }] : membersOf(value)
  for (const item of items as readonly Members[]) {
    const { type = 'message', role, content, call_id: id } = item
    if (type === 'function_call') {
      const call = callOf(id, item.name, item.arguments)
      const last = turns.at(-1)
      if (last?.role === 'assistant')
        turns[turns.length - 1] = { ...last, calls: [...(last.calls ?? []), call] }
      else add({ role: 'assistant', text: '', calls: [call] })
    } else if (type === 'function_call_output') result(id, textIn(item.output, omit))
    else if (type !== 'message') omit(type === 'reasoning' ? 'reasoning' : 'other items of the input')
    else if (role === 'user') add({ role, ...contentOf(content, omit) })
    else if (role === 'system' || role === 'developer') system.push(textIn(content, omit))
    else if (role === 'assistant') add({ role, text: textIn(content, omit) })
    else omit('messages of other roles')
  }
  return { turns, system }
}

function builder() {
  const turns: Turn[] = []
  const system: string[] = []
  return {
    turns,
    system,
    add: ({
      role,
      text,
      images = [],
      calls = [],
    }: Pick<Turn, 'role' | 'text' | 'images' | 'calls'>): void => {
      turns.push({
        role,
        text,
        state: 'complete',
        ...(images.length > 0 && { images }),
        ...(calls.length > 0 && { calls }),
      })
    },
    result: (id: unknown, text: string): void => {
      const call = turns.flatMap(({ calls = [] }) => calls).find(each => each.id === id)
      const resultOf = call ?? { id: textOf(id), name: '' }
      turns.push({
        role: 'tool',
        text,
        state: 'complete',
        resultOf: { id: resultOf.id, name: resultOf.name },
      })
    },
  }
}

/** Names the members that the chat does not have, such as `name` and `cache_control`. */
function omitMembers(more: Members, omit: OmitPart): void {
  for (const [name, value] of Object.entries(more)) if (value !== null) omit(name)
}

/** The text of a content where the chat has no images. */
export function textIn(content: unknown, omit: OmitPart): string {
  const { text, images } = contentOf(content, omit)
  if (images.length > 0) omit('images of other messages than the user’s')
  return text
}

/** The text of a content and its images, in any of the dialects. */
function contentOf(
  content: unknown,
  omit: OmitPart,
): { readonly text: string; readonly images: readonly ChatImage[] } {
  if (typeof content === 'string') return { text: content, images: [] }
  if (content === null || content === undefined) return { text: '', images: [] }
  const texts: string[] = []
  const images: ChatImage[] = []
  for (const part of Array.isArray(content) ? content : [content]) {
    if (!isObject(part)) omit('other parts of messages')
    else if (typeof part.text === 'string') {
      const { type: _, text: _text, annotations: _annotations, logprobs: _logprobs, ...more } = part
      omitMembers(more, omit)
      texts.push(part.text)
    } else if (part.type === 'thinking' || part.type === 'redacted_thinking') omit('reasoning')
    else if (['image_url', 'image', 'input_image'].includes(String(part.type))) {
      const image = imageOf(part, images.length + 1)
      if (image === undefined) omit('images by URL')
      else images.push(image)
    } else omit('files and other parts of messages')
  }
  return { text: texts.join('\n'), images }
}

/** An image within the request; `undefined` for one at another address. */
function imageOf({ image_url: url, source }: Members, number: number): ChatImage | undefined {
  const given = isObject(url) ? url.url : url
  const found = /^data:([\w/+.-]+);base64,([A-Za-z0-9+/]+={0,2})$/.exec(
    isObject(source) && source.type === 'base64'
      ? `data:${source.media_type};base64,${source.data}`
      : textOf(given),
  )
  const [, type = '', data = ''] = found ?? []
  if (!imageTypes.includes(type)) return undefined
  const bytes = Math.floor((data.replace(/=+$/, '').length * 3) / 4)
  return { name: `Image ${number}`, type, bytes, data }
}

function callOf(id: unknown, name: unknown, json: unknown): ToolCall {
  return { id: textOf(id), name: textOf(name), arguments: textOf(json) }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

export function membersOf(value: unknown): readonly Members[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}

export function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
