import type { Adjustment, Call } from '@sluice/core/provider'
import { answerBound, maxTokens } from '../claude/max-tokens.ts'
import { claudeModel } from '../claude/models.ts'
import { claudeSampling } from '../claude/sampling.ts'
import { claudeThinking } from '../claude/thinking.ts'
import { conversationOf } from '../conversation/conversation.ts'
import { ParameterAdjuster } from '../parameters/adjusting.ts'
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
 */
export function requestBody(call: Call, settings: MessagesSettings = {}): MessagesRequest {
  const { input } = call
  const model = claudeModel(call.model)
  const adjusting = new ParameterAdjuster(call.unsupportedParameters)
  applyRules(input, anthropicParameters, anthropicNative, adjusting)
  const conversation = conversationOf(input.messages)
  for (const path of conversation.names) adjusting.drop(path)
  const { turns } = conversation
  const bound = answerBound(input, model, settings.defaultMaxTokens, adjusting)
  const { format, tool, line } = answerFormat(call, adjusting)
  const thinking = claudeThinking(
    { model, input, turns, answerTokens: bound.tokens, answersByTool: tool !== undefined },
    adjusting,
  )
  const system = systemText(conversation, line === undefined ? [] : [line], adjusting)
  const { thinking: given } = thinking
  const messages = apiMessages(
    {
      messages: input.messages,
      turns,
      thinks: thinking.on || (model.thinksByDefault && given?.type !== 'disabled'),
      canThink: model.thinking !== 'none',
      movedUp: model.boundThoughts ? conversation.moved.at(-1) : undefined,
      prefill: model.prefill,
    },
    adjusting,
  )
  const outputConfig = {
    ...(thinking.effort === undefined ? {} : { effort: thinking.effort }),
    ...(format === undefined ? {} : { format }),
    ...(isFields(input.output_config) ? input.output_config : {}),
  }
  if (input.output_config != null && !isFields(input.output_config))
    adjusting.drop('output_config', 'no object')
  const body = {
    model: call.model,
    max_tokens: maxTokens(bound, thinking, model, adjusting),
    ...(system === undefined ? {} : { system }),
    messages,
    ...toolFields({ input, turns, model, answer: tool, thinking: thinking.on }, adjusting),
    ...(given === undefined ? {} : { thinking: given }),
    ...(Object.keys(outputConfig).length === 0 ? {} : { output_config: outputConfig }),
    ...claudeSampling(input, model, thinking.on, adjusting),
    ...plainFields(input, adjusting),
    stream: input.stream === true,
  }
  return { body, adjustments: adjusting.list }
}
