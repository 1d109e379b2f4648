import { type Adjustment, type Call, type ChatRequest, GatewayError } from '@sluice/core'
import { conversationOf } from '../conversation/conversation.ts'
import type { ImageFetcher } from '../conversation/image-data.ts'
import { Adjusting } from '../parameters/adjusting.ts'
import { applyRules } from '../parameters/parameter-rules.ts'
import { isFields } from '../wire/json-value.ts'
import { answerFormat } from './answer-format.ts'
import { tellUncached } from './cache-point.ts'
import { inference } from './inference.ts'
import { converseMessages } from './messages.ts'
import { bedrockModel } from './models.ts'
import { bedrockNative, bedrockParameters } from './parameters.ts'
import { requestMetadata } from './request-metadata.ts'
import { systemPrompt } from './system.ts'
import { toolFields } from './tool-config.ts'

/** The body of a request to Converse, and what was adjusted for it. */
export interface ConverseRequest {
  readonly body: Readonly<Record<string, unknown>>
  readonly adjustments: readonly Adjustment[]
}

type Fields = Readonly<Record<string, unknown>>

/** Converse's own fields that are passed as they are, where nothing of the protocol goes there too. */
const passed = [
  'additionalModelResponseFieldPaths',
  'guardrailConfig',
  'performanceConfig',
  'promptVariables',
  'outputConfig',
  'serviceTier',
]

/**
 * The caller's request in the words of Converse. Throws `GatewayError` (400) for what it, or the model behind it,
 * cannot express.
 */
export async function requestBody(
  call: Call,
  fetchImage: ImageFetcher | undefined,
): Promise<ConverseRequest> {
  const { input } = call
  const model = bedrockModel(call.model)
  const adjusting = new Adjusting(call.unsupportedParameters)
  applyRules(input, bedrockParameters, bedrockNative, adjusting)
  const conversation = conversationOf(input.messages)
  for (const path of conversation.names) adjusting.drop(path)
  tellUncached(input.messages, model, adjusting)
  const { turns } = conversation
  const { textFormat, tool, line } = answerFormat(call, adjusting)
  const { config, further, thinking, thinks } = inference(
    { input, turns, model, answersByTool: tool !== undefined },
    adjusting,
  )
  const { toolConfig, claudeChoice } = toolFields({ input, turns, model, answer: tool, thinking }, adjusting)
  const { system, preface } = systemPrompt(conversation, line, model, adjusting)
  const messages = await converseMessages(
    { messages: input.messages, conversation, model, thinks, preface, fetchImage, signal: call.signal },
    adjusting,
  )
  const fields = {
    ...further,
    ...(claudeChoice === undefined ? {} : { tool_choice: claudeChoice }),
    ...objectOf(input, 'additionalModelRequestFields'),
  }
  const metadata = { ...requestMetadata(input.metadata, adjusting), ...objectOf(input, 'requestMetadata') }
  const tier = serviceTier(input, adjusting)
  const body = {
    messages,
    ...(system.length === 0 ? {} : { system }),
    ...filled('inferenceConfig', config),
    ...(toolConfig === undefined ? {} : { toolConfig }),
    ...(textFormat === undefined ? {} : { outputConfig: { textFormat } }),
    ...filled('additionalModelRequestFields', fields),
    ...filled('requestMetadata', metadata),
    ...(tier === undefined ? {} : { serviceTier: tier }),
    ...ownFields(input),
  }
  return { body, adjustments: adjusting.list }
}

function filled(name: string, fields: Fields): Fields {
  return Object.keys(fields).length === 0 ? {} : { [name]: fields }
}

/** A field of Converse's own that joins what the protocol's parameters put there. */
function objectOf(input: ChatRequest, name: string): Fields {
  const value = input[name]
  if (value === undefined || value === null) return {}
  if (isFields(value)) return value
  throw new GatewayError('invalid_type', {
    message: `Invalid type for '${name}': expected an object.`,
    param: name,
  })
}

function ownFields(input: ChatRequest): Fields {
  const own: Record<string, unknown> = {}
  for (const name of passed) {
    const value = input[name]
    if (value !== undefined && value !== null) own[name] = value
  }
  return own
}

function serviceTier({ service_tier: tier }: ChatRequest, adjusting: Adjusting): Fields | undefined {
  switch (tier) {
    case undefined:
    case 'auto':
      return undefined
    case 'default':
    case 'flex':
    case 'priority':
      return { type: tier }
    default:
      adjusting.drop('service_tier', 'this vendor has default, flex and priority')
      return undefined
  }
}
