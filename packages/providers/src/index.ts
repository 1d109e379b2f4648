export type { AnthropicOptions } from './anthropic.ts'
export { anthropic } from './anthropic.ts'
export type { AzureOptions } from './azure.ts'
export { azure } from './azure.ts'
export type { AwsCredentials, BedrockOptions } from './bedrock.ts'
export { bedrock } from './bedrock.ts'
export type { ChatCompletionsEndpoint } from './chat-completions.ts'
export { decodeChatCompletions, encodeChatCompletions } from './chat-completions.ts'
export type { CohereOptions } from './cohere.ts'
export { cohere } from './cohere.ts'
export type { FetchedImage, ImageFetcher } from './conversation/image-data.ts'
export type { EmbeddingServiceOptions } from './embedding-services.ts'
export { jina, voyage } from './embedding-services.ts'
export type { SafetySetting } from './gemini/safety-settings.ts'
export type { GeminiOptions } from './gemini.ts'
export { gemini } from './gemini.ts'
export type * from './known-models.ts'
export type { LocalOptions } from './local/server.ts'
export type {
  FakeError,
  FakeReply,
  FakeToolCall,
  LocalFaults,
  LocalPace,
  LocalProvider,
  LocalScript,
} from './local.ts'
export { local } from './local.ts'
export type { OpenAIOptions } from './openai.ts'
export { openai } from './openai.ts'
export type {
  CompatibilityOptions,
  CompletionCompatibility,
  EmbeddingCompatibility,
  KnownCapabilities,
  OpenAICompatibleOptions,
  ProviderFields,
  ProviderInstance,
  RerankCompatibility,
} from './openai-compatible.ts'
export { openaiCompatible } from './openai-compatible.ts'
export type { CloudflareOptions, DatabricksOptions, HostedOptions, Preset, PresetOptions } from './presets.ts'
export {
  alibaba,
  cerebras,
  cloudflare,
  databricks,
  deepseek,
  fireworks,
  github,
  groq,
  huggingface,
  llamacpp,
  lmstudio,
  mistral,
  moonshot,
  nebius,
  nvidia,
  ollama,
  openrouter,
  perplexity,
  presets,
  together,
  vllm,
  xai,
  zai,
} from './presets.ts'
export type { ProviderInstanceOf } from './provider-instance.ts'
export type { ApiKeys, WeightedKey } from './provider-keys.ts'
export { allRestrictedFields } from './restricted-fields.ts'
export type { VertexOptions } from './vertex.ts'
export { vertex } from './vertex.ts'
