import { GatewayError } from './errors.ts'
import type { ChatRequest } from './protocol/chat.ts'
import type { InputPart } from './protocol/input-parts.ts'
import { quotedList } from './protocol/wording.ts'
import type { Capabilities } from './provider.ts'

const partTypes = { image: 'image_url', audio: 'input_audio', file: 'file' } as const

/** Fields of which reasoning models take no value but the default. */
const fixedForReasoning = { temperature: 1, top_p: 1, presence_penalty: 0, frequency_penalty: 0 } as const

/**
 * Why a model cannot take a request, as far as its capabilities are known; `undefined`: it can.
 *
 * @param parts - what the request's messages hold besides text.
 * @param live - also asks what hosted services ask of reasoning models and of others.
 */
export function modelMisfit(
  input: ChatRequest,
  parts: readonly InputPart[],
  { input: kinds, maxChoices, reasoning }: Capabilities,
  live: boolean,
): GatewayError | undefined {
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
  if (!live) return undefined
  if (reasoning === true) return reasoningMisfit(input)
  return reasoning === false && input.reasoning_effort !== undefined
    ? unsupported('reasoning_effort', '')
    : undefined
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
