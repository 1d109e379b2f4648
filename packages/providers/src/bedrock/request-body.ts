import type { Adjustment, Call, ChatRequest } from '@sluice/core/provider'
import { readConversation } from '../conversation/conversation.ts'
import type { ImageFetcher } from '../conversation/image-data.ts'
import { ParameterAdjuster } from '../parameters/parameter-adjuster.ts'
import { applyRules } from '../parameters/parameter-rules.ts'
import type { Fields } from '../wire/json-value.ts'
import { answerFormat } from './answer-format.ts'
import { reportCacheMarks } from './cache-point.ts'
import { inference } from './inference.ts'
import { converseMessages } from './messages.ts'
import { modelFields, objectOf, withParametersAtTop } from './model-fields.ts'
import { bedrockModel } from './models.ts'
import { bedrockNative, bedrockParameters } from './parameters.ts'
import { stopSequencePath } from './response-fields.ts'
import { systemBlocks } from './text-blocks.ts'
import { toolFields } from './tool-config.ts'

/** The body of a request to Converse, and what was adjusted for it. */
export interface ConverseRequest {
  readonly body: Fields
  readonly adjustments: readonly Adjustment[]
}

/** Converse's own fields that nothing of the protocol goes to: they are passed as they are. */
const passed = ['guardrailConfig', 'performanceConfig', 'promptVariables']

/**
 * The caller's request in the words of Converse. Throws `GatewayError` (400) for what it, or the model behind it,
 * cannot express.
 */
export async function requestBody(
  call: Call,
  fetchImage: ImageFetcher | undefined,
): Promise<ConverseRequest> {
  const model = bedrockModel(call.model)
  const adjuster = new ParameterAdjuster(call.unsupportedParameters, call.request)
  applyRules(call.input, bedrockParameters, bedrockNative, adjuster)
  const input = withParametersAtTop(call.input, model, adjuster)
  const conversation = readConversation(call, adjuster)
  reportCacheMarks(conversation.given, model, adjuster)
  const { turns } = conversation
  const { textFormat, tool, line } = answerFormat(call, adjuster)
  const { config, further, thinking, thinks } = inference(
    { input, turns, model, setting: call.request?.thinking?.(), answersByTool: tool !== undefined },
    adjuster,
  )
  const { toolConfig, claudeChoice } = toolFields({ input, turns, model, answer: tool, thinking }, adjuster)
  const system = systemBlocks(conversation, line, model, adjuster)
  const messages = await converseMessages(
    { conversation, model, thinks, fetchImage, signal: call.signal },
    adjuster,
  )
  const choice = claudeChoice === undefined ? {} : { tool_choice: claudeChoice }
  const format = textFormat === undefined ? {} : { textFormat }
  const metadata = requestMetadata(input.metadata, adjuster)
  const tier = serviceTier(input, adjuster)
  const body = {
    messages,
    ...(system.length === 0 ? {} : { system }),
    ...filled('inferenceConfig', config),
    ...(toolConfig === undefined ? {} : { toolConfig }),
    ...filled('outputConfig', { ...format, ...objectOf(input, 'outputConfig') }),
    ...filled('additionalModelRequestFields', modelFields({ ...further, ...choice }, input, adjuster)),
    ...(model.claude !== undefined &&
      config.stopSequences !== undefined && { additionalModelResponseFieldPaths: [stopSequencePath] }),
    ...filled('requestMetadata', { ...metadata, ...objectOf(input, 'requestMetadata') }),
    ...filled('serviceTier', { ...tier, ...objectOf(input, 'serviceTier') }),
    ...Object.fromEntries(passed.flatMap(name => (input[name] == null ? [] : [[name, input[name]]]))),
  }
  return { body, adjustments: adjuster.list }
}

function filled(name: string, fields: Fields): Fields {
  return Object.keys(fields).length === 0 ? {} : { [name]: fields }
}

function serviceTier(
  { service_tier: tier, serviceTier: own }: ChatRequest,
  adjuster: ParameterAdjuster,
): Fields {
  if (tier === undefined || tier === 'auto') return {}
  if (own != null) adjuster.drop('service_tier', 'serviceTier was given too')
  else if (tier === 'default' || tier === 'flex' || tier === 'priority') return { type: tier }
  else adjuster.drop('service_tier', 'this vendor has default, flex and priority')
  return {}
}

/** What a key or a value of `requestMetadata` may be: with the white space of ASCII only, as the service has it. */
const metadataText = /^[a-zA-Z0-9 \t\n\v\f\r:_@$#=/+,.-]{0,256}$/

/** `metadata` as `requestMetadata`, which takes few characters: pairs that do not fit are dropped and reported. */
function requestMetadata(
  metadata: ChatRequest['metadata'],
  adjuster: ParameterAdjuster,
): Readonly<Record<string, string>> {
  const fitting: Record<string, string> = {}
  for (const [key, value] of Object.entries(metadata ?? {})) {
    if (key !== '' && metadataText.test(key) && metadataText.test(value)) {
      Object.defineProperty(fitting, key, { value, enumerable: true, configurable: true, writable: true })
    } else adjuster.drop(`metadata.${key}`, 'characters or length that this vendor does not take')
  }
  return fitting
}
