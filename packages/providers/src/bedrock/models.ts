import { type ClaudeModel, claudeModel } from '../anthropic/models.ts'
import { claudeFormat } from '../anthropic/signed-turns.ts'

/** What one model on Bedrock takes. Bedrock refuses the rest itself, in its own words. */
export interface BedrockModel {
  /** What is known of it as a Claude; `undefined` for every other model. */
  readonly claude: ClaudeModel | undefined
  /** Which `toolChoice` it takes: `tool` also a named one, `any` one that forces some tool, `auto` neither. */
  readonly toolChoice: 'tool' | 'any' | 'auto'
  /** It has `outputConfig.textFormat`, and `strict` tools. */
  readonly structuredOutputs: boolean
  /** Where `reasoning_effort` goes: how Claude, Nova 2, gpt-oss (flat) or newer OpenAI models (nested) have it. */
  readonly reasoning: 'claude' | 'nova' | 'flat' | 'nested' | 'none'
  /** The `format` of its reasoning details. */
  readonly reasoningFormat: typeof claudeFormat | 'amazon-bedrock-v1'
  /** Where a prompt may be cached. */
  readonly cachePoints: 'everywhere' | 'untilTools' | 'nowhere'
  /** Ids of tool calls: what Bedrock itself takes, without `.` and `:`, or nine letters and digits. */
  readonly toolIds: 'any' | 'plain' | 'nine'
  /** Where `top_k` goes within `additionalModelRequestFields`. */
  readonly topK: 'top_k' | 'k' | 'inferenceConfig.topK' | 'nowhere'
  /** It takes `temperature` and `topP`. */
  readonly sampling: boolean
  /** It takes `stopSequences`. */
  readonly stop: boolean
  /** It takes `system`. */
  readonly system: boolean
  /** It goes on with words that the caller put into its mouth. */
  readonly prefill: boolean
}

/** A model of which nothing is known, such as an application inference profile: what most take. */
const unknown: BedrockModel = {
  claude: undefined,
  toolChoice: 'tool',
  structuredOutputs: false,
  reasoning: 'none',
  reasoningFormat: claudeFormat,
  cachePoints: 'everywhere',
  toolIds: 'any',
  topK: 'top_k',
  sampling: true,
  stop: true,
  system: true,
  prefill: true,
}

const other: BedrockModel = { ...unknown, reasoningFormat: 'amazon-bedrock-v1' }
const uncached: BedrockModel = { ...other, cachePoints: 'nowhere' }
const open: BedrockModel = { ...uncached, toolChoice: 'any', structuredOutputs: true }
const nova: BedrockModel = { ...other, cachePoints: 'untilTools', topK: 'inferenceConfig.topK' }
const mistral: BedrockModel = { ...uncached, toolChoice: 'any', toolIds: 'nine' }

/** By the publisher's name and the model's own; the first that fits. Sources: the pages of AWS on each model. */
const families: readonly (readonly [RegExp, BedrockModel])[] = [
  [/\bamazon\.nova-2/, { ...nova, reasoning: 'nova', prefill: false }],
  [/\bamazon\.nova/, nova],
  [/\bamazon\.titan/, { ...uncached, toolChoice: 'auto', system: false }],
  [/\bopenai\.gpt-oss/, { ...open, reasoning: 'flat' }],
  [
    /\bopenai\./,
    { ...open, toolChoice: 'tool', reasoning: 'nested', topK: 'nowhere', sampling: false, stop: false },
  ],
  [/\bmeta\./, { ...uncached, toolChoice: 'auto', topK: 'nowhere' }],
  [/\bmistral\.(?:mistral-7b|mixtral)/, { ...mistral, system: false }],
  [/\bmistral\.(?:mistral-large-3|ministral|magistral|voxtral)/, { ...mistral, structuredOutputs: true }],
  [/\bmistral\./, mistral],
  [/\bcohere\./, { ...uncached, toolChoice: 'auto', topK: 'k' }],
  [/\bdeepseek\.r1/, { ...uncached, toolChoice: 'auto' }],
  [/\bmoonshot(?:ai)?\./, { ...open, reasoning: 'flat' }],
  [/\b(?:deepseek|google|minimax|nvidia|qwen|zai)\./, open],
  [/\b(?:ai21|writer|xai)\./, uncached],
]

/** Claudes that have structured outputs elsewhere and not on Bedrock. */
const unstructured = /claude-(?:opus-4-[78]|sonnet-5(?!-\d{1,2}(?!\d)))/

/**
 * What a model takes, by its id, its ARN or its inference profile: `anthropic.claude-sonnet-4-20250514-v1:0`,
 * `eu.amazon.nova-lite-v1:0`, `arn:aws:bedrock:us-east-1::foundation-model/...`. Of application profiles,
 * provisioned and imported models the ARN does not tell what is behind them.
 */
export function bedrockModel(id: string): BedrockModel {
  const name = nameOf(id.toLowerCase())
  if (name.includes('claude')) return ofClaude(name)
  return families.find(([pattern]) => pattern.test(name))?.[1] ?? unknown
}

function nameOf(id: string): string {
  if (!id.startsWith('arn:')) return id
  return /:(?:foundation-model|inference-profile)\/(.+)$/.exec(id)?.[1] ?? ''
}

function ofClaude(name: string): BedrockModel {
  const claude = claudeModel(name)
  return {
    ...unknown,
    claude,
    toolChoice: claude.forcedTools === 'never' ? 'auto' : 'tool',
    structuredOutputs: claude.structuredOutputs && !unstructured.test(name),
    reasoning: 'claude',
    toolIds: 'plain',
    prefill: claude.prefill,
  }
}
