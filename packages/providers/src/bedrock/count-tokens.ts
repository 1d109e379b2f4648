import { exactJsonText } from '../wire/exact-json.ts'
import type { Fields } from '../wire/json-value.ts'

/** The prefixes of inference profiles, which say where a model runs. */
const regions = /^(?:us|us-gov|eu|apac|jp|au|ca|global)\./

/** Returns the name under which the tokens of a model's prompts are counted: that of the model, not of its profile. */
export function countedModel(model: string): string {
  return model.replace(regions, '')
}

/** Returns the body of a request to count the tokens of a prompt, given that of Converse. */
export function countBody({ messages, system, toolConfig, additionalModelRequestFields }: Fields): string {
  const converse = {
    messages,
    ...(system === undefined ? {} : { system }),
    ...(toolConfig === undefined ? {} : { toolConfig }),
    ...(additionalModelRequestFields === undefined ? {} : { additionalModelRequestFields }),
  }
  return exactJsonText({ input: { converse } })
}
