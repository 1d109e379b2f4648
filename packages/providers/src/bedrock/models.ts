import { type ClaudeModel, claudeModel } from '../claude/models.ts'
import { claudeFormat } from '../claude/signed-turns.ts'
import type { ToolCallIdKind } from '../conversation/tool-call-ids.ts'

/** What one model on Bedrock takes. Bedrock refuses the rest itself, in its own words. */
export interface BedrockModel {
  /** What is known of it as a Claude; `undefined` for every other model. */
  readonly claude: ClaudeModel | undefined
  /** Which `toolChoice` it takes: `tool` also a named one, `any` one that forces some tool, `auto` neither. */
  readonly toolChoice: 'tool' | 'any' | 'auto'
  /** It has `outputConfig.textFormat`, and `strict` tools. */
  readonly structuredOutputs: boolean
  /** How a model other than Claude takes `reasoning_effort`: in the form of Nova 2, or under its own name. */
  readonly reasoning: 'nova' | 'flat' | 'none'
  /** The `format` of its reasoning details. */
  readonly reasoningFormat: typeof claudeFormat | 'amazon-bedrock-v1'
  /** Where a prompt may be cached. `untilTools`: not after tools, and for no other time than the usual one. */
  readonly cachePoints: 'everywhere' | 'untilTools' | 'nowhere'
  /** Ids of tool calls: what Bedrock itself takes, without `.` and `:`, or nine letters and digits. */
  readonly toolIds: ToolCallIdKind
  /** Where `top_k` goes within `additionalModelRequestFields`. */
  readonly topK: 'top_k' | 'inferenceConfig.topK'
  /** It goes on with words that the caller put into its mouth. */
  readonly prefill: boolean
}

/** A model of which nothing is known, such as an application inference profile: what most take, Claude among them. */
const unknown: BedrockModel = {
  claude: undefined,
  toolChoice: 'tool',
  structuredOutputs: false,
  reasoning: 'none',
  reasoningFormat: claudeFormat,
  cachePoints: 'everywhere',
  toolIds: 'any',
  topK: 'top_k',
  prefill: true,
}

const other: BedrockModel = { ...unknown, reasoningFormat: 'amazon-bedrock-v1' }
const nova: BedrockModel = { ...other, cachePoints: 'untilTools', topK: 'inferenceConfig.topK' }
const uncached: BedrockModel = { ...other, cachePoints: 'nowhere' }
const mistral: BedrockModel = { ...uncached, toolChoice: 'any', toolIds: 'nine' }
const open: BedrockModel = { ...uncached, toolChoice: 'any', structuredOutputs: true }

/** By the publisher's name and the model's own; the first that fits. Sources: the pages of AWS on each model. */
const families: readonly (readonly [RegExp, BedrockModel])[] = [
  [/\bamazon\.nova-2/, { ...nova, reasoning: 'nova', prefill: false }],
  [/\bamazon\.nova/, nova],
  [/\bmistral\.(?:mistral-large-3|ministral|magistral|voxtral)/, { ...mistral, structuredOutputs: true }],
  [/\bmistral\./, mistral],
  [/\bopenai\.gpt-oss/, { ...open, reasoning: 'flat' }],
  [/\b(?:deepseek\.v|google\.|minimax\.|moonshot(?:ai)?\.|nvidia\.|qwen\.|zai\.)/, open],
  [/\b(?:ai21|cohere|deepseek|meta|writer)\./, { ...uncached, toolChoice: 'auto' }],
]

/** The Claudes that have structured outputs on Bedrock too: from 4.7 on it refuses them. */
const structured = /claude-(?:opus-4-[156]|(?:sonnet|haiku)-4-[56])(?!\d)/

/** The Claudes that take no forced tool while they think, though they do elsewhere. */
const unforcedThinking = /claude-(?:opus|sonnet)-4-[67](?!\d)/

/**
 * What a model takes, by its id, its ARN or its inference profile: `anthropic.claude-sonnet-4-20250514-v1:0`,
 * `eu.amazon.nova-lite-v1:0`, `arn:aws:bedrock:us-east-1::foundation-model/...`. Of application profiles,
 * provisioned and imported models the ARN does not name the model.
 */
export function bedrockModel(id: string): BedrockModel {
  const name = nameOf(id.toLowerCase())
  if (name.includes('claude')) return ofClaude(name)
  if (name === '') return unknown
  return families.find(([pattern]) => pattern.test(name))?.[1] ?? other
}

function nameOf(id: string): string {
  if (!id.startsWith('arn:')) return id
  return /:(?:foundation-model|inference-profile)\/(.+)$/.exec(id)?.[1] ?? ''
}

function ofClaude(name: string): BedrockModel {
  const known = claudeModel(name)
  const claude: ClaudeModel = unforcedThinking.test(name) ? { ...known, forcedTools: 'unthinking' } : known
  return {
    ...unknown,
    claude,
    toolChoice: claude.forcedTools === 'never' ? 'auto' : 'tool',
    structuredOutputs: structured.test(name),
    toolIds: 'plain',
    prefill: claude.prefill,
  }
}
