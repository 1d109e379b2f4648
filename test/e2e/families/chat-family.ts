import { openaiCompatible } from '@sluice/providers'
import { type Family, halves, json, type Saying, sse, used } from './family.ts'

interface Message {
  readonly role: string
  readonly content?: string | readonly Part[] | null
}

interface Part {
  readonly type: string
  readonly text?: string
  readonly image_url?: { readonly url: string }
  readonly file?: { readonly file_data?: string }
}

const usage = {
  prompt_tokens: used.prompt,
  completion_tokens: used.completion,
  total_tokens: used.prompt + used.completion,
  prompt_tokens_details: { cached_tokens: used.cached },
}

/** The chat completions API, which most vendors speak. */
export const chatFamily: Family = {
  name: 'chat',
  question(body) {
    const messages = body.messages as readonly Message[]
    const parts = messages.flatMap(({ content }) => (Array.isArray(content) ? (content as Part[]) : []))
    const last = messages.findLastIndex(({ role }) => role === 'assistant')
    const results = messages.slice(last + 1).filter(({ role }) => role === 'tool')
    return {
      text: textOf(messages.findLast(({ role }) => role === 'user')?.content),
      results: results.map(({ content }) => textOf(content)),
      tools: ((body.tools ?? []) as { function: { name: string } }[]).map(tool => tool.function.name),
      wantsJson: (body.response_format as { type?: string } | undefined)?.type === 'json_schema',
      stream: body.stream === true,
      media: parts.flatMap(({ image_url, file }) => mediaTypeOf(image_url?.url ?? file?.file_data)),
      signatures: [],
    }
  },
  answer(saying, stream) {
    const finish_reason = saying.calls === undefined ? 'stop' : 'tool_calls'
    const base = { id: 'chatcmpl-1', created: 1, model: 'model' }
    if (!stream) {
      const message = {
        role: 'assistant',
        content: saying.text ?? null,
        ...thoughtOf(saying),
        ...callsOf(saying),
      }
      const choices = [{ index: 0, message, finish_reason, logprobs: null }]
      return json(200, { ...base, object: 'chat.completion', choices, usage })
    }
    const chunk = (delta: object, finish: string | null = null) =>
      `data: ${JSON.stringify({ ...base, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }] })}`
    return sse([
      chunk({ role: 'assistant', content: '' }),
      ...halves(saying.thought?.text ?? '').map(reasoning_content => chunk({ reasoning_content })),
      ...halves(saying.text ?? '').map(content => chunk({ content })),
      ...(saying.calls ?? []).flatMap(({ id, name, input }, index) => [
        chunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] }),
        ...halves(JSON.stringify(input)).map(text =>
          chunk({ tool_calls: [{ index, function: { arguments: text } }] }),
        ),
      ]),
      chunk({}, finish_reason),
      `data: ${JSON.stringify({ ...base, object: 'chat.completion.chunk', choices: [], usage })}`,
      'data: [DONE]',
    ])
  },
  error: (status, message) => json(status, { error: { message, type: 'error', code: null, param: null } }),
  entry: baseURL =>
    openaiCompatible({ name: 'chat', baseURL: `${baseURL}/v1`, apiKey: 'vendor-key' })('model'),
}

function textOf(content: Message['content']): string {
  if (typeof content === 'string') return content
  return (content ?? []).map(({ text }) => text ?? '').join('')
}

function mediaTypeOf(url: string | undefined): string[] {
  if (url === undefined) return []
  return [/^data:([^;,]+)/.exec(url)?.[1] ?? 'link']
}

function thoughtOf({ thought }: Saying): object {
  return thought === undefined ? {} : { reasoning_content: thought.text }
}

function callsOf({ calls }: Saying): object {
  if (calls === undefined) return {}
  return {
    tool_calls: calls.map(({ id, name, input }) => ({
      id,
      type: 'function',
      function: { name, arguments: JSON.stringify(input) },
    })),
  }
}
