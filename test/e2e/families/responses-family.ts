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
  readonly type: string
  readonly role?: string
  readonly content?: readonly Part[]
  readonly output?: string | readonly Part[]
  readonly encrypted_content?: string
}

const usage = {
  input_tokens: used.prompt,
  input_tokens_details: { cached_tokens: used.cached },
  output_tokens: used.completion,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: used.prompt + used.completion,
}

/** OpenAI's Responses API, by which its reasoning models are called. */
export const responsesFamily: Family = {
  name: 'openai responses',
  question(body, path) {
    if (path !== '/v1/responses') throw new Error(`A reasoning model was called by ${path}.`)
    const items = body.input as readonly Item[]
    const last = items.findLastIndex(({ type, role }) => role === 'assistant' || type.endsWith('_call'))
    const outputs = items.slice(last + 1).filter(({ type }) => type.endsWith('_output'))
    const parts = items.flatMap(({ content, output }) => [
      ...(content ?? []),
      ...(typeof output === 'object' ? output : []),
    ])
    const { format } = (body.text ?? {}) as { format?: { type: string } }
    return {
      text: textOf(items.findLast(({ role }) => role === 'user')?.content),
      results: outputs.map(({ output }) => textOf(output)),
      tools: ((body.tools ?? []) as { name: string }[]).map(({ name }) => name),
      wantsJson: format?.type === 'json_schema',
      stream: body.stream === true,
      media: parts.flatMap(({ image_url, file_data, file_url }) =>
        mediaTypeOf(image_url ?? file_data ?? file_url),
      ),
      signatures: items.flatMap(({ encrypted_content: data }) => (data === undefined ? [] : [data])),
    }
  },
  answer(saying, stream) {
    const output = outputOf(saying)
    const response = { id: 'resp_1', object: 'response', model: 'model', status: 'completed', output, usage }
    if (!stream) return json(200, response)
    let sequence_number = 0
    const event = (type: string, value: object) =>
      `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence_number++, ...value })}`
    const open = { ...response, status: 'in_progress', output: [], usage: null }
    return sse([
      event('response.created', { response: open }),
      event('response.in_progress', { response: open }),
      ...output.flatMap((item, output_index) => [
        event('response.output_item.added', { output_index, item: beginningOf(item) }),
        ...deltasOf(item).map(([type, delta]) => event(type, { output_index, item_id: item.id, delta })),
        event('response.output_item.done', { output_index, item }),
      ]),
      event('response.completed', { response }),
    ])
  },
  error: (status, message) =>
    json(status, { error: { message, type: 'invalid_request_error', code: null, param: null } }),
  entry: baseURL =>
    openaiCompatible({
      name: 'openai responses',
      baseURL: `${baseURL}/v1`,
      apiKey: 'vendor-key',
      encryptedReasoning: true,
      reasoningApi: 'responses',
    })('model', { reasoning: true }),
}

function textOf(content: string | readonly Part[] | undefined): string {
  if (typeof content === 'string') return content
  return (content ?? []).map(({ text }) => text ?? '').join('')
}

function mediaTypeOf(url: string | undefined): string[] {
  if (url === undefined) return []
  return [/^data:([^;,]+)/.exec(url)?.[1] ?? 'link']
}

type OutputItem = { readonly type: string; readonly id: string; readonly [member: string]: unknown }

function outputOf({ thought, text, calls }: Saying): readonly OutputItem[] {
  return [
    ...(thought === undefined
      ? []
      : [
          {
            type: 'reasoning',
            id: 'rs_1',
            summary: [{ type: 'summary_text', text: thought.text }],
            encrypted_content: thought.signature,
          },
        ]),
    ...(text === undefined
      ? []
      : [
          {
            type: 'message',
            id: 'msg_1',
            status: 'completed',
            role: 'assistant',
            content: [{ type: 'output_text', text, annotations: [], logprobs: [] }],
          },
        ]),
    ...(calls ?? []).map(({ id, name, input }, at) => ({
      type: 'function_call',
      id: `fc_${at}`,
      call_id: id,
      name,
      arguments: JSON.stringify(input),
      status: 'completed',
    })),
  ]
}

/** An item as it is added to a stream: it has nothing yet. */
function beginningOf(item: OutputItem): object {
  const { encrypted_content: _, ...rest } = item
  if (item.type === 'reasoning') return { ...rest, summary: [] }
  if (item.type === 'message') return { ...rest, status: 'in_progress', content: [] }
  return { ...rest, status: 'in_progress', arguments: '' }
}

function deltasOf(item: OutputItem): readonly (readonly [type: string, delta: string])[] {
  const [part] = (item.content ?? item.summary ?? []) as readonly { readonly text: string }[]
  const [type, text] =
    item.type === 'reasoning'
      ? ['response.reasoning_summary_text.delta', part!.text]
      : item.type === 'message'
        ? ['response.output_text.delta', part!.text]
        : ['response.function_call_arguments.delta', String(item.arguments)]
  return halves(text).map(half => [type, half] as const)
}
