import { Fault } from '../fault.ts'
import { isFields } from '../shape.ts'
import { signatureOf } from '../signature.ts'
import type { Block, MessagesRequest } from './messages-request.ts'
import type { ModelFacts } from './models.ts'

export function blocksOf(content: string | readonly Block[]): readonly Block[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content
}

/** The rules that span fields. Throws `Fault`. */
export function checkMessagesRules(body: MessagesRequest, facts: ModelFacts): void {
  checkTurns(body, facts)
  checkToolPairs(body)
  checkTools(body)
  checkSampling(body, facts)
  checkThinking(body, facts)
  checkThinkingBlocks(body)
  checkCachePoints(body)
  const { effort, format } = body.output_config ?? {}
  if (effort !== undefined && !facts.efforts.includes(effort)) {
    throw new Fault(
      facts.efforts.length === 0
        ? 'This model does not support the effort parameter.'
        : `This model does not support effort level '${effort}'. Supported levels: ${facts.efforts.join(', ')}.`,
    )
  }
  if (format !== undefined && !facts.structured) {
    throw new Fault('output_config.format: this model does not support structured outputs')
  }
  if (body.max_tokens > facts.maxOutput) {
    throw new Fault(
      `max_tokens: ${body.max_tokens} > ${facts.maxOutput}, which is the maximum allowed number of output tokens`,
    )
  }
}

function checkTurns({ messages }: MessagesRequest, facts: ModelFacts): void {
  if (messages.length === 0) throw new Fault('messages: at least one message is required')
  if (messages[0]?.role !== 'user') throw new Fault('messages: first message must use the "user" role')
  for (const [index, { role, content }] of messages.entries()) {
    // The vendor joins neighbours of one role by itself; here that would hide a fault of the provider.
    if (role === messages[index - 1]?.role) {
      throw new Fault(`messages.${index}: roles must alternate between "user" and "assistant"`)
    }
    const last = index === messages.length - 1
    if (content.length === 0 && !(last && role === 'assistant')) {
      throw new Fault(`messages.${index}: all messages must have non-empty content`)
    }
  }
  const last = messages.at(-1)!
  if (last.role !== 'assistant') return
  if (!facts.prefill) {
    throw new Fault(
      'This model does not support assistant message prefill. The conversation must end with a user message.',
    )
  }
  if (/\s$/.test(blocksOf(last.content).at(-1)?.text ?? '')) {
    throw new Fault('messages: final assistant content cannot end with trailing whitespace')
  }
}

function checkToolPairs({ messages }: MessagesRequest): void {
  const seen = new Set<string>()
  let asked: string[] = []
  for (const [index, { role, content }] of messages.entries()) {
    const blocks = blocksOf(content)
    if (role === 'user') checkResults(blocks, asked, index)
    asked = []
    for (const block of blocks) {
      if (block.type === 'tool_use') {
        if (role !== 'assistant') throw new Fault(`messages.${index}: tool_use blocks are of the assistant`)
        if (seen.has(block.id!)) throw new Fault('messages: `tool_use` ids must be unique')
        seen.add(block.id!)
        asked.push(block.id!)
      } else if (role === 'assistant' && !['text', 'thinking', 'redacted_thinking'].includes(block.type)) {
        throw new Fault(`messages.${index}: ${block.type} blocks cannot be in assistant turns`)
      } else if (role === 'user' && block.type.includes('thinking')) {
        throw new Fault(`messages.${index}: ${block.type} blocks cannot be in user turns`)
      }
    }
  }
  if (asked.length > 0) throw new Fault(`messages: \`tool_use\` ids without \`tool_result\`: ${asked.join()}`)
}

function checkResults(blocks: readonly Block[], asked: readonly string[], index: number): void {
  const left = new Set(asked)
  for (const [at, block] of blocks.entries()) {
    if (block.type !== 'tool_result') {
      if (left.size > 0) break
      continue
    }
    if (!left.delete(block.tool_use_id!)) {
      throw new Fault(
        `messages.${index}.content.${at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${block.tool_use_id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
      )
    }
  }
  if (left.size > 0) {
    throw new Fault(
      `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${[...left].join()}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
    )
  }
}

function checkTools({ tools = [], tool_choice: choice }: MessagesRequest): void {
  const names = tools.map(({ name }) => name)
  if (new Set(names).size < names.length) throw new Fault('tools: Tool names must be unique.')
  if (choice === undefined) return
  if (tools.length === 0) throw new Fault('tool_choice: may only be specified while providing tools')
  if (choice.type === 'tool' && !names.includes(choice.name!)) {
    throw new Fault(`tool_choice: Tool '${choice.name}' not found in provided tools`)
  }
}

function checkSampling({ temperature, top_p, top_k }: MessagesRequest, { sampling }: ModelFacts): void {
  if (sampling === 'none' && (top_k !== undefined || (temperature ?? 1) !== 1 || (top_p ?? 1) < 0.99)) {
    throw new Fault('temperature, top_p and top_k are not supported by this model')
  }
  if (sampling === 'one' && temperature !== undefined && top_p !== undefined) {
    throw new Fault('`temperature` and `top_p` cannot both be specified for this model. Please use only one.')
  }
}

function checkThinking(body: MessagesRequest, facts: ModelFacts): void {
  const { thinking, max_tokens, temperature = 1, top_k, top_p = 1, tool_choice: choice } = body
  if (thinking === undefined) return
  if (!facts.thinking.includes(thinking.type)) {
    throw new Fault(`thinking.type.${thinking.type} is not supported for this model`)
  }
  if (thinking.type === 'disabled') return
  if (thinking.type === 'enabled' && max_tokens <= thinking.budget_tokens!) {
    throw new Fault('`max_tokens` must be greater than `thinking.budget_tokens`.')
  }
  if (temperature !== 1) throw new Fault('`temperature` may only be set to 1 when thinking is enabled.')
  if (top_k !== undefined) throw new Fault('`top_k` must be unset when thinking is enabled.')
  if (top_p < 0.95) throw new Fault('`top_p` must be >= 0.95 or unset when thinking is enabled.')
  // With adaptive thinking the model may go without it.
  if (thinking.type === 'enabled' && (choice?.type === 'any' || choice?.type === 'tool')) {
    throw new Fault('Thinking may not be enabled when tool_choice forces tool use.')
  }
  if (body.messages.at(-1)?.role === 'assistant') {
    throw new Fault('Prefilling the answer is not supported when thinking is enabled.')
  }
}

/**
 * Where thinking has a budget, each turn of the assistant after the user's last words begins with its thinking;
 * and thinking is never sent back changed.
 */
function checkThinkingBlocks({ messages, thinking }: MessagesRequest): void {
  const asked = messages.findLastIndex(
    ({ role, content }) => role === 'user' && !blocksOf(content).some(({ type }) => type === 'tool_result'),
  )
  for (const [index, { role, content }] of messages.entries()) {
    if (role !== 'assistant') continue
    const blocks = blocksOf(content)
    const first = blocks[0]?.type
    if (thinking?.type === 'enabled' && index > asked && first !== undefined && !first.includes('thinking')) {
      throw new Fault(
        `messages.${index}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${first}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks).`,
      )
    }
    for (const [at, block] of blocks.entries()) {
      if (block.type === 'thinking' && block.signature !== signatureOf('anthropic', block.thinking!)) {
        throw new Fault(`messages.${index}.content.${at}: Invalid \`signature\` in \`thinking\` block`)
      }
    }
  }
}

function checkCachePoints(body: MessagesRequest): void {
  const count = marksIn([body.system, body.messages, body.tools])
  if (count > 4) {
    throw new Fault(`A maximum of 4 blocks with cache_control may be provided. Found ${count}.`)
  }
}

function marksIn(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + marksIn(item), 0)
  if (!isFields(value)) return 0
  const inner = [value.content].reduce<number>((sum, item) => sum + marksIn(item), 0)
  return inner + (isFields(value.cache_control) ? 1 : 0)
}
