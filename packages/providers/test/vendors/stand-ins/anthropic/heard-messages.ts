import { dataInWords, type Heard, type HeardTurn } from '../heard.ts'
import type { Block, MessagesRequest } from './messages-request.ts'
import { blocksOf } from './messages-rules.ts'

/** What a request of the Messages API says. */
export function heardMessages(body: MessagesRequest): Heard {
  const { tools = [], tool_choice: choice, thinking } = body
  const callable = tools.filter(({ name }) => choice?.type !== 'none' && name === (choice?.name ?? name))
  return {
    system: textsOf(blocksOf(body.system ?? [])),
    turns: body.messages.map(({ role, content }) => turnOf(role, blocksOf(content))),
    tools: new Map(callable.map(({ name, input_schema }) => [name, input_schema])),
    mustCall: choice?.type === 'any' || choice?.type === 'tool',
    schema: body.output_config?.format?.schema,
    stop: body.stop_sequences ?? [],
    maxTokens: body.max_tokens,
    thinks: thinking !== undefined && thinking.type !== 'disabled',
  }
}

function turnOf(role: HeardTurn['role'], blocks: readonly Block[]): HeardTurn {
  return {
    role,
    texts: textsOf(blocks),
    calls: blocks.flatMap(({ type, name, input }) =>
      type === 'tool_use' ? [{ name: name!, input: input! }] : [],
    ),
    results: blocks.flatMap(({ type, content }) =>
      type === 'tool_result' ? [textsOf(blocksOf(content ?? [])).join('')] : [],
    ),
    attached: blocks.flatMap(({ source, type }) =>
      type === 'image' || type === 'document'
        ? [dataInWords(source?.media_type ?? '', source?.data ?? '')]
        : [],
    ),
  }
}

function textsOf(blocks: readonly Block[]): string[] {
  return blocks.flatMap(({ type, text }) => (type === 'text' ? [text!] : []))
}
