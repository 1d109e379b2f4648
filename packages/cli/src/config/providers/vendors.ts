import {
  alibaba,
  anthropic,
  azure,
  bedrock,
  cerebras,
  cloudflare,
  cohere,
  databricks,
  deepseek,
  fireworks,
  gemini,
  github,
  groq,
  huggingface,
  llamacpp,
  lmstudio,
  local,
  mistral,
  moonshot,
  nebius,
  nvidia,
  ollama,
  openai,
  openaiCompatible,
  openrouter,
  type ProviderInstance,
  perplexity,
  together,
  vertex,
  vllm,
  voyage,
  xai,
  zai,
} from '@sluice/providers'
import type { Member } from '../shape/collections.ts'
import {
  anthropicMembers,
  azureMembers,
  bedrockMembers,
  cloudflareMembers,
  compatibleMembers,
  databricksMembers,
  embeddingServiceMembers,
  geminiMembers,
  hostedMembers,
  localMembers,
  openaiMembers,
  ownMembers,
  vertexMembers,
} from './vendor-members.ts'

/** A vendor that a configuration can name. */
export interface KnownVendor {
  readonly members: Readonly<Record<string, Member>>
  /** Throws `TypeError` for options that cannot work. What they may be is checked there. */
  readonly make: (options: never) => ProviderInstance
}

const vendor = <Options>(
  members: { readonly [Name in keyof Required<Options>]: Member },
  make: (options: Options) => ProviderInstance,
): KnownVendor => ({ members: members as Readonly<Record<string, Member>>, make })

/** By the names that configurations use. */
export const vendors: Readonly<Record<string, KnownVendor>> = {
  openai: vendor(openaiMembers, openai),
  anthropic: vendor(anthropicMembers, anthropic),
  gemini: vendor(geminiMembers, gemini),
  vertex: vendor(vertexMembers, vertex),
  bedrock: vendor(bedrockMembers, bedrock),
  azure: vendor(azureMembers, azure),
  'openai-compatible': vendor(compatibleMembers, openaiCompatible),
  groq: vendor(hostedMembers, groq),
  mistral: vendor(hostedMembers, mistral),
  deepseek: vendor(hostedMembers, deepseek),
  xai: vendor(hostedMembers, xai),
  openrouter: vendor(hostedMembers, openrouter),
  together: vendor(hostedMembers, together),
  fireworks: vendor(hostedMembers, fireworks),
  cerebras: vendor(hostedMembers, cerebras),
  perplexity: vendor(hostedMembers, perplexity),
  huggingface: vendor(hostedMembers, huggingface),
  nvidia: vendor(hostedMembers, nvidia),
  nebius: vendor(hostedMembers, nebius),
  moonshot: vendor(hostedMembers, moonshot),
  zai: vendor(hostedMembers, zai),
  alibaba: vendor(hostedMembers, alibaba),
  github: vendor(hostedMembers, github),
  cloudflare: vendor(cloudflareMembers, cloudflare),
  databricks: vendor(databricksMembers, databricks),
  voyage: vendor(embeddingServiceMembers, voyage),
  cohere: vendor(embeddingServiceMembers, cohere),
  ollama: vendor(ownMembers, ollama),
  vllm: vendor(ownMembers, vllm),
  llamacpp: vendor(ownMembers, llamacpp),
  lmstudio: vendor(ownMembers, lmstudio),
  local: vendor(localMembers, local),
}
