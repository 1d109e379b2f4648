import type { ChatRequest } from '@sluice/core'
import type { Capabilities } from '@sluice/core/provider'
import * as providers from '@sluice/providers'
import { anthropicParameters } from '../../../packages/providers/src/anthropic/parameters.ts'
import { apiVersionOf, azureCompatibility } from '../../../packages/providers/src/azure/api-version.ts'
import { bedrockParameters } from '../../../packages/providers/src/bedrock/parameters.ts'
import { chatParameterRules } from '../../../packages/providers/src/chat-completions/chat-parameter-rules.ts'
import { openaiCompatibility } from '../../../packages/providers/src/chat-completions/compatibility-options.ts'
import { geminiParameters } from '../../../packages/providers/src/gemini/parameters.ts'
import type {
  ParameterName,
  ParameterRules,
} from '../../../packages/providers/src/parameters/parameter-rules.ts'
import { vertexParameters } from '../../../packages/providers/src/vertex/parameters.ts'

/** A vendor as the page knows it. */
export interface DocumentedVendor {
  /** As the page writes it. */
  readonly name: string
  readonly vendor: providers.ProviderInstance
  readonly rules: ParameterRules
  /** A model of which the rules hold as they stand. */
  readonly model: string
  /** Other models, for parameters that the one above lacks. */
  readonly models?: Partial<Record<ParameterName, string>>
  readonly capabilities?: Capabilities
  /** Other values, for parameters of which the usual sample is one that the vendor lacks. */
  readonly samples?: Partial<ChatRequest>
  /** Whether it has the option `fetchImage`. */
  readonly fetches?: boolean
  /** It speaks the protocol: what is passed goes as it is. */
  readonly compatible: boolean
}

const fetchImage: providers.ImageFetcher = async () => ({ mediaType: 'image/png', data: new Uint8Array([1]) })

/** Vendors with a protocol of their own. `fetches`: they may fetch images that callers give by URL. */
export function ownVendors(fetches = false): readonly DocumentedVendor[] {
  const fetching = fetches ? { fetchImage } : {}
  const old = 'gemini-2.0-flash'
  const vertex = providers.vertex({ project: 'p', location: 'global', token: 't', ...fetching })
  return [
    {
      name: '`anthropic`',
      vendor: providers.anthropic({ apiKey: 'k' }),
      rules: anthropicParameters,
      model: 'claude-sonnet-4-5',
      samples: { service_tier: 'default' },
      compatible: false,
    },
    {
      name: '`gemini`',
      vendor: providers.gemini({ apiKey: 'k', ...fetching }),
      fetches: true,
      rules: geminiParameters,
      model: 'gemini-2.5-flash',
      models: { presence_penalty: old, frequency_penalty: old, logprobs: old, top_logprobs: old },
      compatible: false,
    },
    {
      name: 'Gemini on `vertex`',
      vendor: vertex,
      fetches: true,
      rules: vertexParameters,
      model: 'gemini-2.5-flash',
      compatible: false,
    },
    {
      name: 'Claude on `vertex`',
      vendor: vertex,
      fetches: true,
      rules: anthropicParameters,
      model: 'claude-sonnet-4-5@20250929',
      samples: { service_tier: 'default' },
      compatible: false,
    },
    {
      name: '`bedrock`',
      vendor: providers.bedrock({ region: 'us-east-1', bearerToken: 't', ...fetching }),
      fetches: true,
      rules: bedrockParameters,
      model: 'us.anthropic.claude-sonnet-4-5-20250929-v1:0',
      compatible: false,
    },
  ]
}

/** Vendors that speak the protocol, each as its dialect says. */
export function compatibleVendors(): readonly DocumentedVendor[] {
  const common = { model: 'm', compatible: true }
  const presets = Object.values(providers.presets).map((preset: providers.Preset) => ({
    ...common,
    name: `\`${preset.name}\``,
    vendor: providers.openaiCompatible({ ...preset, apiKey: 'k' }),
    rules: chatParameterRules(preset),
  }))
  return [
    {
      ...common,
      name: '`openai`',
      vendor: providers.openai({ apiKey: 'k' }),
      rules: chatParameterRules(openaiCompatibility),
    },
    {
      ...common,
      name: '`azure`',
      vendor: providers.azure({ resource: 'r', apiKey: 'k' }),
      rules: chatParameterRules(azureCompatibility(apiVersionOf(undefined, 'azure'))),
    },
    ...presets,
  ]
}
