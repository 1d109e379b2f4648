import type { Turn } from '../chat-types.ts'
import {
  type AnswerPiece,
  type ChatDialect,
  numberMember,
  reasoningPiece,
  sentTurns,
  textPiece,
  typedTools,
} from './chat-dialect.ts'

export const responses: ChatDialect = {
  label: 'Responses',
  path: '/responses',
  consolePath: 'api/responses',
  endName: '[DONE]',
  maxTemperature: 2,
  efforts: ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'],
  lacks: ['stop', 'seed'],
  body: (options, turns) => {
    const { model, system, temperature, topP, maxTokens, effort } = options
    const tools = typedTools(options)
    return {
      model,
      ...(system.trim() === '' ? {} : { instructions: system.trim() }),
      input: sentTurns(turns).flatMap(itemsOf),
      ...numberMember('temperature', temperature),
      ...numberMember('top_p', topP),
      ...numberMember('max_output_tokens', maxTokens),
      ...(effort === '' ? {} : { reasoning: { effort } }),
      ...(tools.length === 0
        ? {}
        : {
            tools: tools.map(({ schema, ...tool }) => ({
              type: 'function',
              ...tool,
              parameters: schema,
              // Strict schemas must name every property as required, which typed ones need not.
              strict: false,
            })),
          }),
      store: false,
      stream: true,
    }
  },
  read: data => {
    if (data === '[DONE]') return { isEnd: true }
    const event: ResponseEvent = JSON.parse(data)
    const { type, delta, response } = event
    const isText = type === 'response.output_text.delta' || type === 'response.refusal.delta'
    const isReasoning =
      type === 'response.reasoning_text.delta' || type === 'response.reasoning_summary_text.delta'
    const usage = response?.usage
    return {
      ...(isText ? textPiece(delta) : {}),
      ...(isReasoning ? reasoningPiece(delta) : {}),
      ...callPiece(event),
      ...(usage ? { counts: { input: usage.input_tokens, output: usage.output_tokens } } : {}),
    }
  },
}

/** The members of an event of the Responses API that the chat reads. */
interface ResponseEvent {
  readonly type?: string
  readonly delta?: unknown
  readonly output_index?: number
  readonly item?: { readonly type?: string; readonly call_id?: string; readonly name?: string }
  readonly response?: { readonly usage?: ResponseUsage | null }
}

interface ResponseUsage {
  readonly input_tokens: number
  readonly output_tokens: number
}

function callPiece({ type, output_index: at = 0, item, delta }: ResponseEvent): Pick<AnswerPiece, 'calls'> {
  if (type === 'response.output_item.added' && item?.type === 'function_call') {
    const { call_id: id = '', name = '' } = item
    return { calls: [{ at, id, name }] }
  }
  if (type !== 'response.function_call_arguments.delta' || typeof delta !== 'string') return {}
  return { calls: [{ at, arguments: delta }] }
}

function itemsOf({ role, text, images = [], calls = [], resultOf }: Turn): object[] {
  if (role === 'tool') return [{ type: 'function_call_output', call_id: resultOf?.id, output: text }]
  const content =
    images.length === 0
      ? text
      : [
          ...(text === '' ? [] : [{ type: 'input_text', text }]),
          ...images.map(({ type, data }) => ({
            type: 'input_image',
            detail: 'auto',
            image_url: `data:${type};base64,${data}`,
          })),
        ]
  return [
    ...(content === '' ? [] : [{ role, content }]),
    ...calls.map(({ id, name, arguments: json }) => ({
      type: 'function_call',
      call_id: id,
      name,
      arguments: json,
    })),
  ]
}
