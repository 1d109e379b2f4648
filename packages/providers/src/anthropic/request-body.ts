import type { Adjustment, Call, Turn } from '@sluice/core/provider'
import { answerBound, maxTokens } from '../claude/max-tokens.ts'
import { claudeModel } from '../claude/models.ts'
import { claudeSampling } from '../claude/sampling.ts'
import { claudeThinking } from '../claude/thinking.ts'
import { readConversation } from '../conversation/conversation.ts'
import { ParameterAdjuster } from '../parameters/parameter-adjuster.ts'
import { applyRules } from '../parameters/parameter-rules.ts'
import { isFields } from '../wire/json-value.ts'
import { answerFormat } from './answer-format.ts'
import { apiMessages } from './messages.ts'
import { anthropicNative, anthropicParameters } from './parameters.ts'
import { plainFields } from './plain-fields.ts'
import { systemText } from './text-blocks.ts'
import { toolFields } from './tool-fields.ts'

/** The body of a request to the Messages API, and what was adjusted for it. */
export interface MessagesRequest {
  /** With `model` and `stream`. */
  readonly body: Readonly<Record<string, unknown>>
  readonly adjustments: readonly Adjustment[]
}

/** Of the provider, not of the caller. */
export interface MessagesSettings {
  /** The bound of an answer, without its thinking, whose caller gave none. Default 8,192, or the model's own maximum where that is smaller. */
  readonly defaultMaxTokens?: number | undefined
}

/**
 * The caller's request in the words of the Messages API. Throws `GatewayError` (400) for what it cannot
 * express.
 *
 * @param given - the conversation, if it is not that of the call.
 */
export function requestBody(
  call: Call,
  settings: MessagesSettings = {},
  given?: readonly Turn[],
): MessagesRequest {
  const { input } = call
  const model = claudeModel(call.model)
  const adjuster = new ParameterAdjuster(call.unsupportedParameters, call.request)
  applyRules(input, anthropicParameters, anthropicNative, adjuster)
  const conversation = readConversation(call, adjuster, given)
  const { turns } = conversation
  const bound = answerBound(input, model, settings.defaultMaxTokens, adjuster)
  const { format, tool, line } = answerFormat(call, adjuster)
  const thinking = claudeThinking(
    {
      model,
      input,
      turns,
      setting: call.request?.thinking?.(),
      answerTokens: bound.tokens,
      answersByTool: tool !== undefined,
    },
    adjuster,
  )
  const system = systemText(conversation, line === undefined ? [] : [line], adjuster)
  const { thinking: sent } = thinking
  const messages = apiMessages(
    {
      conversation,
      thinks: thinking.on || (model.thinksByDefault && sent?.type !== 'disabled'),
      canThink: model.thinking !== 'none',
      boundThoughts: model.boundThoughts,
      prefill: model.prefill,
    },
    adjuster,
  )
  const outputConfig = {
    ...(thinking.effort === undefined ? {} : { effort: thinking.effort }),
    ...(format === undefined ? {} : { format }),
    ...(isFields(input.output_config) ? input.output_config : {}),
  }
  if (input.output_config != null && !isFields(input.output_config))
    adjuster.drop('output_config', 'no object')
  const body = {
    model: call.model,
    max_tokens: maxTokens(bound, thinking, model, adjuster),
    ...(system === undefined ? {} : { system }),
    messages,
    ...toolFields({ input, turns, model, answer: tool, thinking: thinking.on }, adjuster),
    ...(sent === undefined ? {} : { thinking: sent }),
    ...(Object.keys(outputConfig).length === 0 ? {} : { output_config: outputConfig }),
    ...claudeSampling(input, model, thinking.on, adjuster),
    ...plainFields(input, adjuster),
    stream: input.stream === true,
  }
  return { body, adjustments: adjuster.list }
}
