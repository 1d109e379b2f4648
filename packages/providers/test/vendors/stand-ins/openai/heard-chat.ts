import { dataInWords, type Heard, type HeardTurn, joined } from '../heard.ts'
import { type Fields, isFields } from '../shape.ts'
import { type ChatBody, isReasoning } from './chat-request.ts'

/** What a request for a chat completion says. */
export function heardChat(body: ChatBody): Heard {
  const { messages, tools = [], tool_choice: choice, response_format: format, stop = [] } = body
  const only = typeof choice === 'object' ? choice.function?.name : undefined
  const json = format !== undefined && format.type !== 'text'
  return {
    system: messages.flatMap(({ role, content }) =>
      role === 'system' || role === 'developer' ? textsOf(content) : [],
    ),
    turns: messages
      .flatMap(({ role, content, tool_calls: calls = [] }): HeardTurn[] => {
        if (role === 'system' || role === 'developer') return []
        const tool = role === 'tool'
        return [
          {
            role: role === 'assistant' ? 'assistant' : 'user',
            texts: tool ? [] : textsOf(content),
            calls: calls.map(call => {
              const made = call.function as { name: string; arguments: string }
              return { name: made.name, input: JSON.parse(made.arguments) }
            }),
            results: tool ? [textsOf(content).join('')] : [],
            attached: attachedOf(content),
          },
        ]
      })
      .reduce<HeardTurn[]>(joined, []),
    tools: new Map(
      choice === 'none'
        ? []
        : tools
            .filter(tool => tool.function.name === (only ?? tool.function.name))
            .map(tool => [tool.function.name, tool.function.parameters ?? { type: 'object' }]),
    ),
    mustCall: choice === 'required' || only !== undefined,
    schema: json ? (format.json_schema?.schema ?? {}) : undefined,
    stop: typeof stop === 'string' ? [stop] : stop,
    maxTokens: body.max_completion_tokens ?? body.max_tokens,
    thinks: isReasoning(body.model) && body.reasoning_effort !== 'none',
  }
}

function textsOf(content: unknown): string[] {
  if (typeof content === 'string') return content === '' ? [] : [content]
  return partsOf(content).flatMap(({ type, text }) => (type === 'text' ? [String(text)] : []))
}

function attachedOf(content: unknown): string[] {
  return partsOf(content).flatMap(({ image_url: image, file }) => {
    const [, type, data] =
      /^data:([^;]+);base64,(.*)$/.exec(
        isFields(image) ? String(image.url) : isFields(file) ? String(file.file_data) : '',
      ) ?? []
    return type === undefined ? [] : [dataInWords(type, data!)]
  })
}

function partsOf(content: unknown): Fields[] {
  return Array.isArray(content) ? content.filter(isFields) : []
}
