import type { ModelPrice, Target, TokenPrice } from '@sluice/core'
import type { ImportContext } from '../import-context.ts'
import type { ImportNode } from '../import-reader.ts'
import { parametersOf } from '../parameters.ts'
import { deploymentProvider } from './deployment-provider.ts'
import { withCredential, withReferences } from './settings.ts'
import { bedrockRegion, type NamedModel, namedModel } from './vendors.ts'

/** One place of a group, and what chooses between it and the others. */
export interface Deployment {
  /** `provider/model`. */
  readonly target: string
  readonly parameters: Readonly<Record<string, unknown>> | undefined
  readonly capabilities: Target['capabilities'] | undefined
  /** Vectors of all targets with this name can be compared, where LiteLLM takes them for the same. */
  readonly embeddingSpace: string | undefined
  readonly price: ModelPrice | undefined
  readonly order: number | undefined
  /** Where these stand: what they mean is the strategy's to say. */
  readonly weight: ImportNode
  readonly rpm: ImportNode
  readonly tpm: ImportNode
}

/** Imports an entry of `model_list`. Reports one that is unsupported and returns `undefined`. */
export function deploymentOf(
  entry: ImportNode,
  name: string,
  context: ImportContext,
  credentials: ImportNode,
): Deployment | undefined {
  const given = withCredential(entry.at('litellm_params'), credentials, context.reader)
  const info = entry.at('model_info')
  const mode = info.at('mode').text()
  if (mode !== undefined && !modes.includes(mode)) {
    entry.reportUnsupported(
      'It is not a model for chat completions or embeddings.',
      'Keep serving it with LiteLLM.',
    )
    return undefined
  }
  const embeds = mode === 'embedding'
  const { named, isResponses } = responsesModel(namedOf(given), mode)
  if (named === undefined || !isUsable(name, named.model)) {
    const [why, fix] = named === undefined ? noVendor : unusableModel
    entry.reportUnsupported(why, fix)
    return undefined
  }
  if (isResponses && !speaksResponses(named)) {
    entry.reportUnsupported(...anotherApi)
    return undefined
  }
  const unfit = unfitVendor(named, embeds)
  if (unfit !== undefined) {
    entry.reportUnsupported(...unfit)
    return undefined
  }
  const vendor = deploymentProvider(named, given, context, isResponses)
  if (typeof vendor !== 'string') {
    entry.reportUnsupported(vendor.why, vendor.fix)
    return undefined
  }
  const parameters = parametersOf(given, withReferences)
  if (parameters !== undefined) context.reader.note(callersFirst)
  if (embeds) context.reader.note(sameSpace)
  if (isResponses) context.reader.note(ownApi)
  const bound = (key: string) => (given.at(key).isThere ? given.at(key) : entry.at(key))
  return {
    target: `${vendor}/${modelName(named)}`,
    parameters,
    capabilities: capabilitiesOf(info, embeds),
    embeddingSpace: embeds && !name.includes('*') ? name : undefined,
    price: named.model.includes('*') ? undefined : priceOf(given, info, embeds),
    weight: given.at('weight'),
    order: given.at('order').number(),
    rpm: bound('rpm'),
    tpm: bound('tpm'),
  }
}

const modes = ['chat', 'embedding', 'responses']

/** LiteLLM calls some models by the Responses API, whatever API the caller uses: `openai/responses/gpt-5`. */
function responsesModel(
  named: NamedModel | undefined,
  mode: string | undefined,
): { readonly named: NamedModel | undefined; readonly isResponses: boolean } {
  const prefix = 'responses/'
  const isNamed = named?.model.startsWith(prefix) === true
  return {
    named: isNamed ? { ...named, model: named.model.slice(prefix.length) } : named,
    isResponses: isNamed || mode === 'responses',
  }
}

/** The providers whose servers have the Responses API. */
const responsesTypes = new Set(
  'openai openai-compatible xai openrouter groq deepseek fireworks vllm ollama lmstudio llamacpp'.split(' '),
)

/** Whether the provider of a vendor can pass on requests in the Responses API. An unknown vendor is reported as such. */
function speaksResponses({ known }: NamedModel): boolean {
  return known === undefined || responsesTypes.has(known.type)
}

const ownApi =
  'LiteLLM calls a model named responses/ by the Responses API only. Sluice calls each target by the API of the caller, where its vendor has it.'
const callersFirst =
  "Parameters of a target override the caller's; in LiteLLM the caller's take precedence. A token maximum lowers the caller's and never raises it."
const sameSpace =
  'Embeddings fall back only to targets of the same model, or of the same embeddingSpace. LiteLLM falls back to any model.'
const noVendor = [
  'The name of the model does not identify its vendor.',
  'Add the vendor as a prefix, such as openai/, and import again.',
] as const
const anotherApi: readonly [string, string] = [
  'LiteLLM calls it by the Responses API, which the provider of this vendor does not pass on.',
  'If it supports the API of the vendor itself, remove responses/ from its name, and import again.',
]
const unusableModel = [
  'A * in the model needs a * in model_name.',
  'Write a name for each model, or one * in both names.',
] as const

const embeddingsOnly: readonly [string, string] = [
  'Only the embeddings of this vendor are supported.',
  'For an embedding model, add model_info.mode: embedding, and import again.',
]
const noEmbeddings: readonly [string, string] = ['The vendor has no embeddings.', 'Check model_info.mode.']

/** Returns why a vendor does not serve a model, and what to do; `undefined` if it does. */
function unfitVendor({ known, model }: NamedModel, embeds: boolean): readonly [string, string] | undefined {
  if (embeds) return known?.embeddings === false ? noEmbeddings : undefined
  return known?.embeddings === 'only' && !/^(?:embed|rerank|voyage)-/.test(model) ? embeddingsOnly : undefined
}

function namedOf(given: ImportNode): NamedModel | undefined {
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
  if (known?.type === 'bedrock') return model.replace(bedrockRegion, '').replace(/^(?:converse|invoke)\//, '')
  return known?.type === 'azure' ? model.replace(/^(?:o|gpt5)_series\//, '') : model
}

/** What `model_info` says that a model can do; `undefined` where it says nothing of what is looked at here. */
function capabilitiesOf(info: ImportNode, embeds: boolean): Target['capabilities'] | undefined {
  const contextTokens = info.at('max_input_tokens').count(1)
  const maxOutputTokens = info.at('max_output_tokens').count(1)
  const tools = info.at('supports_function_calling').flag()
  const jsonSchema = info.at('supports_response_schema').flag()
  const known = {
    ...(embeds ? { operations: ['embed'] as const } : {}),
    ...(contextTokens === undefined ? {} : { contextTokens }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(tools === undefined ? {} : { tools }),
    ...(jsonSchema === undefined ? {} : { jsonSchema }),
  }
  return Object.keys(known).length === 0 ? undefined : known
}

/** Dollars for a token are dollars for a million. */
const priceFields = {
  input: 'input_cost_per_token',
  output: 'output_cost_per_token',
  cachedInput: 'cache_read_input_token_cost',
  cacheWrite: 'cache_creation_input_token_cost',
  audioInput: 'input_cost_per_audio_token',
  audioOutput: 'output_cost_per_audio_token',
} as const satisfies Partial<Record<keyof TokenPrice, string>>

/** The tiers that LiteLLM knows prices of: `input_cost_per_token_priority`. */
const tierNames = ['priority', 'flex'] as const

/** What a deployment costs, where it says both what its input and what its output do. The output of embeddings is free. */
export function priceOf(given: ImportNode, info: ImportNode, embeds = false): ModelPrice | undefined {
  const at = (key: string) => (given.at(key).isThere ? given.at(key) : info.at(key))
  const tokens = tokenPrice(at, '', embeds)
  if (tokens === undefined) return undefined
  const tiers = tierNames.flatMap(tier => {
    const price = tokenPrice(at, `_${tier}`, embeds)
    return price === undefined ? [] : [[tier, price] as const]
  })
  return tiers.length === 0 ? tokens : { ...tokens, tiers: Object.fromEntries(tiers) }
}

/** What tokens cost by the keys that end so; `undefined` where it does not say both. */
function tokenPrice(
  at: (key: string) => ImportNode,
  suffix: string,
  embeds: boolean,
): TokenPrice | undefined {
  if (!isPrice(at(priceFields.input + suffix))) return undefined
  if (!embeds && !isPrice(at(priceFields.output + suffix))) return undefined
  const price = Object.entries(priceFields).flatMap(([name, key]) => {
    const part = at(key + suffix)
    return isPrice(part) ? [[name, perMillion(part.number() ?? 0)] as const] : []
  })
  const known = Object.fromEntries(price) as unknown as TokenPrice
  return embeds ? { ...known, output: known.output ?? 0 } : known
}

/** PyYAML reads `1e-6` as text, and so LiteLLM takes texts too. */
function isPrice(part: ImportNode): boolean {
  return (part.numeric ?? -1) >= 0
}

/** Without the dust of binary fractions: 0.00000015 * 1e6 is 0.15. */
function perMillion(perToken: number): number {
  return Number((perToken * 1_000_000).toPrecision(12))
}
