import type { Target } from '@sluice/core'
import type { Part } from '../part.ts'

/** What `model_info` says that a model can do; `undefined` where it says nothing of what is looked at here. */
export function capabilitiesOf(info: Part): Target['capabilities'] | undefined {
  const contextTokens = info.at('max_input_tokens').count(1)
  const maxOutputTokens = info.at('max_output_tokens').count(1)
  const tools = info.at('supports_function_calling').flag()
  const jsonSchema = info.at('supports_response_schema').flag()
  const known = {
    ...(contextTokens === undefined ? {} : { contextTokens }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(tools === undefined ? {} : { tools }),
    ...(jsonSchema === undefined ? {} : { jsonSchema }),
  }
  return Object.keys(known).length === 0 ? undefined : known
}
