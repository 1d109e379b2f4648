import type { ModelPrice, Target } from '@sluice/core'
import type { Importing } from '../importing.ts'
import { parametersOf } from '../parameters.ts'
import type { Part } from '../part.ts'
import { region } from './bedrock-region.ts'
import { capabilitiesOf } from './capabilities.ts'
import { withCredential } from './credentials.ts'
import { priceOf } from './price.ts'
import { withReferences } from './settings-text.ts'
import { vendorOf } from './vendor-of.ts'
import { type NamedModel, namedModel } from './vendors.ts'

/** One place of a group, and what chooses between it and the others. */
export interface Deployment {
  /** `provider/model`. */
  readonly place: string
  readonly parameters: Readonly<Record<string, unknown>> | undefined
  readonly capabilities: Target['capabilities'] | undefined
  readonly price: ModelPrice | undefined
  readonly order: number | undefined
  /** Where these stand: what they mean is the strategy's to say. */
  readonly weight: Part
  readonly rpm: Part
  readonly tpm: Part
}

/** An entry of `model_list`; `undefined` where it cannot be had, which is told. */
export function deploymentOf(
  entry: Part,
  name: string,
  importing: Importing,
  credentials: Part,
): Deployment | undefined {
  const given = withCredential(entry.at('litellm_params'), credentials, importing.reading)
  const info = entry.at('model_info')
  const mode = info.at('mode').text()
  if (mode !== undefined && mode !== 'chat') {
    entry.lose('It is no model for chat completions.', 'Go on serving it from where it is served today.')
    return undefined
  }
  const named = namedOf(given)
  if (named === undefined || !isUsable(name, named.model)) {
    const [why, mend] = named === undefined ? noVendor : unusableModel
    entry.lose(why, mend)
    return undefined
  }
  if (named.model.startsWith('responses/')) {
    entry.lose(...anotherApi)
    return undefined
  }
  const vendor = vendorOf(named, given, importing)
  if (typeof vendor !== 'string') {
    entry.lose(vendor.why, vendor.mend)
    return undefined
  }
  const parameters = parametersOf(given, withReferences)
  if (parameters !== undefined) importing.reading.note(callersFirst)
  const bound = (key: string) => (given.at(key).isThere ? given.at(key) : entry.at(key))
  return {
    place: `${vendor}/${modelName(named)}`,
    parameters,
    capabilities: capabilitiesOf(info),
    price: named.model.includes('*') ? undefined : priceOf(given, info),
    weight: given.at('weight'),
    order: given.at('order').number(),
    rpm: bound('rpm'),
    tpm: bound('tpm'),
  }
}

const callersFirst =
  "Parameters of a deployment stand in the place of what the caller sends; in LiteLLM the caller goes first. A bound of tokens lowers the caller's and never raises it."
const noVendor = [
  'Its vendor cannot be told from the name of the model.',
  'Write the vendor before it, such as openai/, and import again.',
] as const
const anotherApi: readonly [string, string] = [
  'LiteLLM asks it by another API than chat completions.',
  'Where it answers chat completions, leave responses/ out of its name, and import again.',
]
const unusableModel = [
  'A * in the name of the model says nothing without one * in the name that callers use.',
  'Write a name for each model, or one * in both names.',
] as const

function namedOf(given: Part): NamedModel | undefined {
  const model = given.at('model').text()
  return model === undefined ? undefined : namedModel(model, given.at('custom_llm_provider').text())
}

/** A wildcard is carried where one `*` stands for the same text in both names. */
function isUsable(name: string, model: string): boolean {
  if (model === '' || model.includes('${')) return false
  return !model.includes('*') || (model.split('*').length === 2 && name.split('*').length === 2)
}

/** Bedrock's and Azure's models have words before them that say how LiteLLM calls them. */
function modelName({ known, model }: NamedModel): string {
  if (known?.type === 'bedrock') return model.replace(region, '').replace(/^(?:converse|invoke)\//, '')
  return known?.type === 'azure' ? model.replace(/^(?:o|gpt5)_series\//, '') : model
}
