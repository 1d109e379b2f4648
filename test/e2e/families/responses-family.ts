import { openaiCompatible } from '@sluice/providers'
import { type Family, halves, json, type Saying, sse, used } from './family.ts'

interface Part {
  readonly type: string
  readonly text?: string
  readonly image_url?: string
  readonly file_data?: string
  readonly file_url?: string
}

interface Item {
  readonly type?: string
  readonly role?: string
  readonly content?: string | readonly Part[]
  readonly output?: string | readonly Part[]
  readonly encrypted_content?: string | null
  readonly tools?: readonly Tool[]
}

interface Tool {
  readonly type: string
  readonly name?: string
  readonly tools?: readonly Tool[]
}

/** A tool on offer, by the name under which other families know it. */
interface NamedTool {
  readonly type: string
  readonly name: string
  readonly namespace?: string
}

type Body = Readonly<Record<string, unknown>>

const usage = {
  input_tokens: used.prompt,
  input_tokens_details: { cached_tokens: used.cached, cache_write_tokens: 0 },
  output_tokens: used.completion,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: used.prompt + used.completion,
}

/** The Responses API, without a state of its own. */
export const responsesFamily: Family = {
  name: 'responses',
  question(body) {
    const items = itemsOf(body)
    const last = items.findLastIndex(item => !isOutput(item) && item.role !== 'user')
    const parts = items.flatMap(({ content, output }) => [...partsOf(content), ...partsOf(output)])
    return {
      text: textOf(items.findLast(({ role }) => role === 'user')?.content),
      results: items
        .slice(last + 1)
        .filter(isOutput)
        .map(({ output, tools }) => (tools === undefined ? textOf(output) : JSON.stringify(tools))),
      tools: [...toolsOf(body).keys()],
      wantsJson: (body.text as { format?: { type?: string } } | undefined)?.format?.type === 'json_schema',
      stream: body.stream === true,
      media: parts.flatMap(({ image_url, file_data, file_url }) =>
        mediaTypeOf(image_url ?? file_data ?? file_url),
      ),
      signatures: items.flatMap(({ encrypted_content: sealed }) => sealed ?? []),
    }
  },
  answer(saying, stream, body) {
    const output = outputOf(saying, toolsOf(body))
    const base = { id: 'resp_vendor', object: 'response', created_at: 1, model: 'model', error: null }
    const whole = { ...base, status: 'completed', output, usage, store: false, incomplete_details: null }
    if (!stream) return json(200, whole)
    let sequence_number = 0
    const event = (type: string, data: object) =>
      `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence_number++, ...data })}`
    const opened = { ...whole, status: 'in_progress', output: [], usage: null }
    return sse([
      event('response.created', { response: opened }),
      event('response.in_progress', { response: opened }),
      ...output.flatMap((item, index) => itemEvents(item, index, event)),
      event('response.completed', { response: whole }),
    ])
  },
  error: (status, message) =>
    json(status, {
      error: {
        message,
        type: status < 500 ? 'invalid_request_error' : 'server_error',
        code: null,
        param: null,
      },
    }),
  entry: baseURL =>
    openaiCompatible({
      name: 'responses',
      baseURL: `${baseURL}/v1`,
      apiKey: 'vendor-key',
      speaks: ['responses'],
    })('model'),
}

/** The same, for requests in all dialects: how reasoning models of OpenAI are called. */
export const reasoningFamily: Family = {
  ...responsesFamily,
  name: 'openai responses',
  question(body, path) {
    if (path !== '/v1/responses') throw new Error(`A reasoning model was called by ${path}.`)
    return responsesFamily.question(body, path)
  },
  entry: baseURL =>
    openaiCompatible({
      name: 'openai responses',
      baseURL: `${baseURL}/v1`,
      apiKey: 'vendor-key',
      encryptedReasoning: true,
      reasoningApi: 'responses',
    })('model', { reasoning: true }),
}

function itemsOf({ input }: Body): readonly Item[] {
  return typeof input === 'string' ? [{ role: 'user', content: input }] : ((input ?? []) as readonly Item[])
}

function isOutput({ type }: Item): boolean {
  return type?.endsWith('_output') === true
}

function partsOf(content: Item['content']): readonly Part[] {
  return typeof content === 'string' ? [] : (content ?? [])
}

function textOf(content: Item['content']): string {
  return typeof content === 'string'
    ? content
    : partsOf(content)
        .map(({ text }) => text ?? '')
        .join('')
}

function mediaTypeOf(url: string | undefined): readonly string[] {
  return url === undefined ? [] : [/^data:([^;,]+)/.exec(url)?.[1] ?? 'link']
}

function toolsOf(body: Body): ReadonlyMap<string, NamedTool> {
  const offered = [body, ...itemsOf(body)].flatMap(({ tools }) => (tools ?? []) as readonly Tool[])
  const named = offered.flatMap(({ type, name = type, tools }): [string, NamedTool][] =>
    type === 'namespace'
      ? (tools ?? []).map(inner => [
          `${name}__${inner.name}`,
          { type: inner.type, name: inner.name!, namespace: name },
        ])
      : [[name, { type, name }]],
  )
  return new Map(named)
}

type StreamedItem = Readonly<Record<string, unknown>> & { readonly id: string; readonly type: string }

function outputOf(
  { thought, text, calls }: Saying,
  tools: ReadonlyMap<string, NamedTool>,
): readonly StreamedItem[] {
  const status = 'completed'
  return [
    ...(thought === undefined
      ? []
      : [
          {
            id: 'rs_1',
            type: 'reasoning',
            summary: [{ type: 'summary_text', text: thought.text }],
            encrypted_content: thought.signature,
          },
        ]),
    ...(text === undefined
      ? []
      : [
          {
            id: 'msg_1',
            type: 'message',
            role: 'assistant',
            status,
            content: [{ type: 'output_text', text, annotations: [], logprobs: [] }],
          },
        ]),
    ...(calls ?? []).map(({ id: call_id, name: given, input }, at): StreamedItem => {
      const { type, name, namespace } = tools.get(given) ?? { type: 'function', name: given }
      const base = { call_id, status, ...(namespace !== undefined && { namespace }) }
      if (type === 'tool_search')
        return { ...base, id: `tsc_${at}`, type: 'tool_search_call', execution: 'client', arguments: input }
      if (type === 'custom') {
        const { input: written } = input as { input: string }
        return { ...base, id: `ctc_${at}`, type: 'custom_tool_call', name, input: written }
      }
      return { ...base, id: `fc_${at}`, type: 'function_call', name, arguments: JSON.stringify(input) }
    }),
  ]
}

function itemEvents(
  item: StreamedItem,
  output_index: number,
  event: (type: string, data: object) => string,
): readonly string[] {
  const place = { item_id: item.id, output_index }
  const around = (empty: object, events: () => readonly string[]) => [
    event('response.output_item.added', { output_index, item: { ...item, ...empty } }),
    ...events(),
    event('response.output_item.done', { output_index, item }),
  ]
  const deltas = (type: string, value: string, member: string, where: object) => [
    ...halves(value).map(delta => event(`${type}.delta`, { ...where, delta })),
    event(`${type}.done`, { ...where, [member]: value }),
  ]
  const status = 'in_progress'
  switch (item.type) {
    case 'reasoning': {
      const [part] = item.summary as [{ text: string }]
      const where = { ...place, summary_index: 0 }
      return around({ summary: [] }, () => [
        event('response.reasoning_summary_part.added', { ...where, part: { ...part, text: '' } }),
        ...deltas('response.reasoning_summary_text', part.text, 'text', where),
        event('response.reasoning_summary_part.done', { ...where, part }),
      ])
    }
    case 'message': {
      const [part] = item.content as [{ text: string }]
      const where = { ...place, content_index: 0 }
      return around({ status, content: [] }, () => [
        event('response.content_part.added', { ...where, part: { ...part, text: '' } }),
        ...deltas('response.output_text', part.text, 'text', where),
        event('response.content_part.done', { ...where, part }),
      ])
    }
    case 'function_call':
      return around({ status, arguments: '' }, () =>
        deltas('response.function_call_arguments', item.arguments as string, 'arguments', place),
      )
    case 'custom_tool_call':
      return around({ status, input: '' }, () =>
        deltas('response.custom_tool_call_input', item.input as string, 'input', place),
      )
    default:
      return around({ status }, () => [])
  }
}
