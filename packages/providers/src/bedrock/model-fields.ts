import { GatewayError } from '@sluice/core'
import type { ChatRequest } from '@sluice/core/provider'
import type { ParameterAdjuster } from '../parameters/parameter-adjuster.ts'
import { type Fields, isFields } from '../wire/json-value.ts'
import type { BedrockModel } from './models.ts'

const given = 'additionalModelRequestFields has it too'

/** Which parameter of the protocol writes a field of a model. */
const parameters: Readonly<Record<string, string>> = {
  tool_choice: 'parallel_tool_calls',
  top_k: 'top_k',
  inferenceConfig: 'top_k',
}

/**
 * A caller's request to Claude with what stands in `additionalModelRequestFields` and decides of more than itself
 * in the one place where it is looked for: `thinking` (`reasoning_config` by its older name), `output_config`, `top_k`.
 */
export function withParametersAtTop(
  input: ChatRequest,
  model: BedrockModel,
  adjuster: ParameterAdjuster,
): ChatRequest {
  const fields = input.additionalModelRequestFields
  if (model.claude === undefined || !isFields(fields)) return input
  const { reasoning_config, thinking = reasoning_config, output_config, top_k, ...rest } = fields
  const lifted = Object.entries({ thinking, output_config, top_k }).filter(([, value]) => value != null)
  for (const [name] of lifted) if (input[name] != null) adjuster.drop(name, given)
  return { ...input, ...Object.fromEntries(lifted), additionalModelRequestFields: rest } as ChatRequest
}

/** The request's `additionalModelRequestFields`: where the caller wrote a field itself, that one holds. */
export function modelFields(ours: Fields, input: ChatRequest, adjuster: ParameterAdjuster): Fields {
  const own = objectOf(input, 'additionalModelRequestFields')
  for (const name of Object.keys(ours)) {
    if (Object.hasOwn(own, name)) adjuster.drop(parameters[name] ?? 'reasoning_effort', given)
  }
  return { ...ours, ...own }
}

/** A field of Converse's own that joins what the protocol's parameters put there. Throws `GatewayError` (400) for no object. */
export function objectOf(input: ChatRequest, name: string): Fields {
  const value = input[name]
  if (value === undefined || value === null) return {}
  if (isFields(value)) return value
  throw new GatewayError('invalid_type', {
    message: `Invalid type for '${name}': expected an object.`,
    param: name,
  })
}
