import type { Capabilities } from '../contracts/provider.ts'
import { GatewayError } from '../errors/errors.ts'
import type { ChatRequest } from '../protocol/chat.ts'
import { quotedList } from '../protocol/wording.ts'
import type { InputPart } from './input-parts.ts'

const partTypes = { image: 'image_url', audio: 'input_audio', file: 'file' } as const

/** Fields of which reasoning models take no value but the default. */
const fixedForReasoning = { temperature: 1, top_p: 1, presence_penalty: 0, frequency_penalty: 0 } as const

/** What is known of a request's messages. */
export interface Messages {
  /** What they hold besides text. */
  readonly parts: readonly InputPart[]
  /** How many words they have: they have as many tokens at least. 0 where they are too short for that to matter. */
  readonly words: number
}

/**
 * Why a model cannot take a request, as far as its capabilities are known; `undefined`: it can.
 *
 * @param live - also asks what hosted services ask of reasoning models and of others.
 */
export function modelMisfit(
  input: ChatRequest,
  { parts, words }: Messages,
  capabilities: Capabilities,
  live: boolean,
): GatewayError | undefined {
  const { input: kinds, maxChoices, reasoning, contextTokens } = capabilities
  if (maxChoices !== undefined && input.n !== undefined && input.n > maxChoices) {
    return new GatewayError('integer_above_max_value', {
      message: `Invalid 'n': integer above maximum value. Expected a value <= ${maxChoices}, but got ${input.n} instead.`,
      param: 'n',
    })
  }
  if (kinds !== undefined) {
    const part = parts.find(({ kind }) => !kinds.includes(kind))
    if (part !== undefined) {
      const taken = ['text', ...kinds.map(kind => partTypes[kind])]
      return new GatewayError('invalid_value', {
        message: `Invalid value: '${part.type}' is not supported with this model. Supported values are: ${quotedList(taken)}.`,
        param: part.path,
      })
    }
  }
  if (contextTokens !== undefined && words > contextTokens) {
    return new GatewayError('context_length_exceeded', {
      message: `This model's maximum context length is ${contextTokens} tokens. However, your messages have ${words} words, and so no fewer tokens. Please reduce the length of the messages.`,
      param: 'messages',
    })
  }
  const misfit = outputMisfit(input, capabilities)
  if (misfit !== undefined || !live) return misfit
  if (reasoning === true) return reasoningMisfit(input)
  return reasoning === false && input.reasoning_effort !== undefined
    ? unsupported('reasoning_effort', '')
    : undefined
}

function outputMisfit(
  input: ChatRequest,
  { maxOutputTokens, tools, jsonSchema }: Capabilities,
): GatewayError | undefined {
  if (tools === false) {
    if (input.tools !== undefined && input.tools.length > 0) return unsupported('tools', '')
    if (input.functions !== undefined && input.functions.length > 0) return unsupported('functions', '')
  }
  if (jsonSchema === false && input.response_format?.type === 'json_schema') {
    return new GatewayError('unsupported_value', {
      message: "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.",
      param: 'response_format',
    })
  }
  const name = input.max_completion_tokens === undefined ? 'max_tokens' : 'max_completion_tokens'
  const bound = input[name]
  if (maxOutputTokens === undefined || bound === undefined || bound <= maxOutputTokens) return undefined
  return new GatewayError('invalid_value', {
    message: `${name} is too large: ${bound}. This model supports at most ${maxOutputTokens} completion tokens, whereas you provided ${bound}.`,
    param: name,
  })
}

function reasoningMisfit(input: ChatRequest): GatewayError | undefined {
  if (input.max_tokens !== undefined)
    return unsupported('max_tokens', " Use 'max_completion_tokens' instead.")
  for (const [field, standard] of Object.entries(fixedForReasoning)) {
    const value = input[field]
    if (value === undefined || value === standard) continue
    return new GatewayError('unsupported_value', {
      message: `Unsupported value: '${field}' does not support ${String(value)} with this model. Only the default (${standard}) value is supported.`,
      param: field,
    })
  }
  return undefined
}

function unsupported(param: string, advice: string): GatewayError {
  return new GatewayError('unsupported_parameter', {
    message: `Unsupported parameter: '${param}' is not supported with this model.${advice}`,
    param,
  })
}
