import { dataInWords, type Heard, type HeardTurn, joined } from '../heard.ts'
import type { ResponsesBody, ResponsesItem, ResponsesPart } from './responses-request.ts'

/** What a request of the Responses API says. */
export function heardResponses(body: ResponsesBody): Heard {
  const { input, tools = [], tool_choice: choice, reasoning } = body
  const only = typeof choice === 'object' && choice.type === 'function' ? choice.name : undefined
  const { format } = body.text ?? {}
  return {
    system: input.flatMap(({ role, content }) =>
      role === 'system' || role === 'developer' ? textsOf(content) : [],
    ),
    turns: input.flatMap(turnOf).reduce<HeardTurn[]>(joined, []),
    tools: new Map(
      choice === 'none'
        ? []
        : tools
            .filter(({ type, name }) => type === 'function' && name === (only ?? name))
            .map(({ name, parameters }) => [name, parameters ?? { type: 'object' }]),
    ),
    mustCall: choice === 'required' || only !== undefined,
    schema: format === undefined || format.type === 'text' ? undefined : (format.schema ?? {}),
    stop: [],
    maxTokens: body.max_output_tokens,
    thinks: reasoning?.effort !== 'none',
  }
}

function turnOf(item: ResponsesItem): HeardTurn[] {
  const turn: HeardTurn = { role: 'assistant', texts: [], calls: [], results: [], attached: [] }
  switch (item.type) {
    case 'function_call':
      return [{ ...turn, calls: [{ name: item.name!, input: JSON.parse(item.arguments!) }] }]
    case 'function_call_output':
      return [{ ...turn, role: 'user', results: [textOf(item.output)] }]
    case 'message': {
      const { role, content } = item
      if (role === 'system' || role === 'developer') return []
      const texts = textsOf(content)
      return [
        { ...turn, role: role === 'assistant' ? 'assistant' : 'user', texts, attached: attachedOf(content) },
      ]
    }
    default:
      return []
  }
}

function textOf(output: ResponsesItem['output']): string {
  return typeof output === 'string' ? output : textsOf(output).join('')
}

function textsOf(content: readonly ResponsesPart[] | undefined): string[] {
  return (content ?? []).flatMap(({ text, refusal }) => text || refusal || [])
}

function attachedOf(content: readonly ResponsesPart[] | undefined): string[] {
  return (content ?? []).flatMap(({ image_url, file_data }) => {
    const [, type, data] = /^data:([^;]+);base64,(.*)$/.exec(image_url ?? file_data ?? '') ?? []
    return type === undefined ? [] : [dataInWords(type, data!)]
  })
}
