import { anthropic } from '@sluice/providers'
import { type Family, halves, json, type Saying, sse, used } from './family.ts'

interface Block {
  readonly type: string
  readonly text?: string
  readonly content?: string | readonly Block[]
  readonly source?: { readonly media_type?: string }
  readonly signature?: string
}

/** The Messages API. */
export const anthropicFamily: Family = {
  name: 'anthropic',
  question(body) {
    const messages = body.messages as readonly { role: string; content: string | readonly Block[] }[]
    const blocks = messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content))
    const last = messages.findLast(({ role }) => role === 'user')!
    const results = typeof last.content === 'string' ? [] : last.content.filter(isResult)
    const inside = blocks.flatMap(block => [block, ...nested(block)])
    return {
      text: textOf(last.content),
      results: results.map(({ content }) => textOf(content ?? '')),
      tools: ((body.tools ?? []) as { name: string }[]).map(({ name }) => name),
      wantsJson:
        (body.output_config as { format?: unknown } | undefined)?.format !== undefined ||
        // The provider asks an unknown model for it by a tool that has to be called.
        (body.tool_choice as { name?: string } | undefined)?.name === 'json',
      stream: body.stream === true,
      media: inside.flatMap(({ source }) => (source === undefined ? [] : [source.media_type ?? 'link'])),
      signatures: blocks.flatMap(({ signature }) => (signature === undefined ? [] : [signature])),
    }
  },
  answer(saying, stream) {
    const content = blocksOf(saying)
    const stop_reason = saying.calls === undefined ? 'end_turn' : 'tool_use'
    const start = {
      id: 'msg_vendor',
      type: 'message',
      role: 'assistant',
      model: 'model-2026',
      content: stream ? [] : content,
      stop_reason: stream ? null : stop_reason,
      stop_sequence: null,
      usage: {
        input_tokens: used.prompt - used.cached,
        cache_read_input_tokens: used.cached,
        cache_creation_input_tokens: 0,
        output_tokens: stream ? 1 : used.completion,
      },
    }
    if (!stream) return json(200, start)
    return sse([
      event('message_start', { message: start }),
      ...content.flatMap(blockEvents),
      event('message_delta', {
        delta: { stop_reason, stop_sequence: null },
        usage: { output_tokens: used.completion },
      }),
      event('message_stop', {}),
    ])
  },
  error: (status, message) =>
    json(status, {
      type: 'error',
      error: { type: status === 529 ? 'overloaded_error' : 'invalid_request_error', message },
    }),
  entry: baseURL => anthropic({ apiKey: 'vendor-key', baseURL: `${baseURL}/v1` })('model'),
}

/** The blocks of an answer. */
export function blocksOf({ thought, text, calls }: Saying): object[] {
  return [
    ...(thought === undefined
      ? []
      : [{ type: 'thinking', thinking: thought.text, signature: thought.signature }]),
    ...(text === undefined ? [] : [{ type: 'text', text }]),
    ...(calls ?? []).map(call => ({ type: 'tool_use', ...call })),
  ]
}

function isResult({ type }: Block): boolean {
  return type === 'tool_result'
}

function nested({ content }: Block): readonly Block[] {
  return typeof content === 'string' ? [] : (content ?? [])
}

function textOf(content: string | readonly Block[]): string {
  return typeof content === 'string' ? content : content.map(({ text }) => text ?? '').join('')
}

function event(type: string, data: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}`
}

function blockEvents(given: object, index: number): string[] {
  const block = given as {
    type: string
    text?: string
    thinking?: string
    signature?: string
    input?: object
  }
  const start = (content_block: object) => event('content_block_start', { index, content_block })
  const delta = (data: object) => event('content_block_delta', { index, delta: data })
  const stop = event('content_block_stop', { index })
  if (block.type === 'thinking') {
    return [
      start({ type: 'thinking', thinking: '', signature: '' }),
      ...halves(block.thinking!).map(thinking => delta({ type: 'thinking_delta', thinking })),
      delta({ type: 'signature_delta', signature: block.signature }),
      stop,
    ]
  }
  if (block.type === 'text') {
    return [
      start({ type: 'text', text: '' }),
      event('ping', {}),
      ...halves(block.text!).map(text => delta({ type: 'text_delta', text })),
      stop,
    ]
  }
  return [
    start({ ...block, input: {} }),
    ...halves(JSON.stringify(block.input)).map(partial_json =>
      delta({ type: 'input_json_delta', partial_json }),
    ),
    stop,
  ]
}
