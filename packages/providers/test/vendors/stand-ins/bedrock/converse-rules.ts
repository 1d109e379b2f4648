import { Fault } from '../fault.ts'
import { decimal, type Fields, flag, integer, isFields, list, object, oneOf, tagged, text } from '../shape.ts'
import { signatureOf } from '../signature.ts'
import type { ConverseRequest } from './converse-request.ts'
import type { ModelFacts } from './models.ts'

/** The rules that span fields, and those of the model behind the service. Throws `Fault`. */
export function checkConverseRules(body: ConverseRequest, facts: ModelFacts): void {
  checkTurns(body)
  checkToolPairs(body)
  checkToolConfig(body)
  checkDocuments(body)
  checkModelFields(body, facts)
  checkReasoning(body, facts)
  const { outputConfig, inferenceConfig = {} } = body
  if (outputConfig?.textFormat !== undefined && !facts.structured) {
    throw new Fault("This model doesn't support the outputConfig.textFormat field. Remove it and try again.")
  }
  if ((inferenceConfig.maxTokens ?? 0) > facts.maxTokens) {
    throw new Fault(
      `The maximum tokens you requested exceeds the model limit of ${facts.maxTokens}. Try again with a maximum tokens value that is lower than ${facts.maxTokens}.`,
    )
  }
}

function checkTurns({ messages }: ConverseRequest): void {
  if (messages.length === 0) throw new Fault('A conversation must start with a user message.')
  for (const [index, { role, content }] of messages.entries()) {
    if (role !== (index % 2 === 0 ? 'user' : 'assistant')) {
      throw new Fault(
        index === 0
          ? 'A conversation must start with a user message. Try again with a conversation that starts with a user message.'
          : 'A conversation must alternate between user and assistant roles. Make sure the conversation alternates between user and assistant roles and try again.',
      )
    }
    if (content.length === 0) {
      throw new Fault(`The content field in the Message object at messages.${index} is empty.`)
    }
  }
  const last = messages.at(-1)!
  if (last.role === 'assistant' && /\s$/.test(last.content.at(-1)?.text ?? '')) {
    throw new Fault('final assistant content cannot end with trailing whitespace')
  }
}

function checkToolPairs({ messages }: ConverseRequest): void {
  let asked: string[] = []
  for (const [index, { role, content }] of messages.entries()) {
    const results = content.flatMap(({ toolResult }) =>
      toolResult === undefined ? [] : [toolResult.toolUseId],
    )
    const uses = content.flatMap(({ toolUse }) => (toolUse === undefined ? [] : [toolUse.toolUseId]))
    if (role === 'user' && uses.length > 0) throw new Fault(`messages.${index}: toolUse is of the assistant`)
    if (role === 'assistant' && results.length > 0) {
      throw new Fault(`messages.${index}: toolResult is of the user`)
    }
    if (results.length > asked.length) {
      throw new Fault(
        `The number of toolResult blocks at messages.${index}.content exceeds the number of toolUse blocks of previous turn.`,
      )
    }
    const missing = asked.filter(id => !results.includes(id))
    if (missing.length > 0) {
      throw new Fault(
        `Expected toolResult blocks at messages.${index}.content for the following Ids: ${missing.join(', ')}`,
      )
    }
    const blocks = content.filter(({ cachePoint }) => cachePoint === undefined)
    const firstOther = blocks.findIndex(({ toolResult }) => toolResult === undefined)
    if (firstOther !== -1 && firstOther < results.length) {
      throw new Fault(`messages.${index}.content: toolResult blocks have to come first`)
    }
    if (new Set(uses).size < uses.length) throw new Fault(`messages.${index}: duplicate toolUseId`)
    asked = uses
  }
  if (asked.length > 0)
    throw new Fault(`Expected toolResult blocks for the following Ids: ${asked.join(', ')}`)
}

function checkToolConfig({ messages, toolConfig }: ConverseRequest): void {
  const used = messages.some(({ content }) => content.some(part => part.toolUse ?? part.toolResult))
  if (used && toolConfig === undefined) {
    throw new Fault('The toolConfig field must be defined when using toolUse and toolResult content blocks.')
  }
  const names = (toolConfig?.tools ?? []).flatMap(({ toolSpec }) =>
    toolSpec === undefined ? [] : [toolSpec.name],
  )
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw new Fault(`The toolConfig field contains duplicate tool names: ${twice}`)
  const forced = toolConfig?.toolChoice?.tool?.name
  if (forced !== undefined && !names.includes(forced)) {
    throw new Fault(`toolConfig.toolChoice.tool.name: ${forced} is not among the tools`)
  }
}

function checkDocuments({ messages }: ConverseRequest): void {
  const names: string[] = []
  for (const [index, { content }] of messages.entries()) {
    const own = content.flatMap(({ document }) => (document === undefined ? [] : [document.name]))
    if (own.length > 0 && !content.some(({ text: words }) => words !== undefined)) {
      throw new Fault(`messages.${index}.content: include a text block when a document is included`)
    }
    names.push(...own)
  }
  if (new Set(names).size < names.length) throw new Fault('The messages contain duplicate document names.')
}

const claudeFields = object(
  {},
  {
    top_k: integer(0),
    thinking: tagged('type', {
      enabled: object({ type: oneOf('enabled'), budget_tokens: integer(1024) }, { display: text() }),
      disabled: object({ type: oneOf('disabled') }),
    }),
    anthropic_beta: list(text(1)),
    tool_choice: object(
      { type: oneOf('auto', 'any', 'tool') },
      { name: text(), disable_parallel_tool_use: flag },
    ),
    metadata: object({}, { user_id: text() }),
  },
)

const novaFields = object(
  {},
  {
    inferenceConfig: object({}, { topK: integer(0) }),
    reasoningConfig: object(
      { type: oneOf('enabled', 'disabled') },
      { maxReasoningEffort: oneOf('low', 'medium', 'high') },
    ),
  },
)

function checkModelFields(body: ConverseRequest, facts: ModelFacts): void {
  const { additionalModelRequestFields: fields, inferenceConfig = {}, toolConfig } = body
  if (fields === undefined) return
  try {
    const check = facts.family === 'claude' ? claudeFields : novaFields
    check(fields, '')
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    throw new Fault(`Malformed input request: ${error.message}, please reformat your input and try again.`)
  }
  if ('reasoningConfig' in fields && !facts.reasoning) {
    throw new Fault('Malformed input request: extraneous key [reasoningConfig] is not permitted')
  }
  const budget = thinkingBudget(fields)
  if (budget === undefined) return
  const { maxTokens = facts.maxTokens, temperature = 1, topP = 1 } = inferenceConfig
  if (maxTokens <= budget) throw new Fault('`max_tokens` must be greater than `thinking.budget_tokens`.')
  if (temperature !== 1) throw new Fault('`temperature` may only be set to 1 when thinking is enabled.')
  decimal(0.95, 1)(topP, 'topP')
  if (fields.top_k !== undefined) throw new Fault('`top_k` must be unset when thinking is enabled.')
  const forced = toolConfig?.toolChoice?.any ?? toolConfig?.toolChoice?.tool
  const also = isFields(fields.tool_choice) && fields.tool_choice.type !== 'auto'
  if (forced !== undefined || also) {
    throw new Fault('Thinking may not be enabled when tool_choice forces tool use.')
  }
}

/** Claude's rules for its own thinking hold here too; a model that does not reason takes none back. */
function checkReasoning(
  { messages, additionalModelRequestFields }: ConverseRequest,
  facts: ModelFacts,
): void {
  const thinks = thinkingBudget(additionalModelRequestFields) !== undefined
  const asked = messages.findLastIndex(
    ({ role, content }) => role === 'user' && !content.some(({ toolResult }) => toolResult !== undefined),
  )
  for (const [index, { role, content }] of messages.entries()) {
    for (const { reasoningContent: reasoning } of content) {
      if (reasoning === undefined) continue
      if (role === 'user') throw new Fault('User messages cannot contain reasoning content.')
      if (!facts.reasoning) throw new Fault('This model does not take reasoning content.')
      const { reasoningText: told } = reasoning
      if (told !== undefined && told.signature !== signatureOf('anthropic', told.text)) {
        throw new Fault(`messages.${index}.content: Invalid \`signature\` in \`thinking\` block`)
      }
    }
    if (thinks && role === 'assistant' && index > asked && content[0]?.reasoningContent === undefined) {
      throw new Fault(`messages.${index}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`.`)
    }
  }
}

/** Claude's budget where it is to think. */
export function thinkingBudget(fields: Fields | undefined): number | undefined {
  const thinking = fields?.thinking
  return isFields(thinking) && thinking.type === 'enabled' ? Number(thinking.budget_tokens) : undefined
}

export function isReasoning(fields: Fields | undefined): boolean {
  const config = fields?.reasoningConfig
  return thinkingBudget(fields) !== undefined || (isFields(config) && config.type === 'enabled')
}
