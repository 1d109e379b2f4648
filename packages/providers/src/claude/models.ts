/** A word that `output_config.effort` may take. */
export type ClaudeEffort = 'low' | 'medium' | 'high' | 'xhigh' | 'max'

/** What one Claude model takes, wherever it is hosted. */
export interface ClaudeModel {
  /** The most tokens of one answer, thinking included. */
  readonly maxOutput: number
  /** `adaptive`: as much as the effort asks for. `budget`: up to a number of tokens. `none`: it cannot think. */
  readonly thinking: 'adaptive' | 'budget' | 'none'
  /** It thinks also where the request does not ask for it. */
  readonly thinksByDefault: boolean
  /** The type of `thinking` that turns it off, or nearly: `between_tools` leaves notes between calls. `false`: none. */
  readonly thinkingOff: 'disabled' | 'between_tools' | false
  /** Its thinking comes without text unless `thinking.display` asks for a summary. */
  readonly thinkingHidden: boolean
  /** It takes its reasoning back only where nothing before it has changed: no message, not the system text. */
  readonly boundThoughts: boolean
  /** It takes `temperature`, `top_p` and `top_k`. */
  readonly sampling: boolean
  /** It takes `temperature` and `top_p` in one request. */
  readonly temperatureWithTopP: boolean
  /** It has `output_config.format`, and `strict` tools. */
  readonly structuredOutputs: boolean
  /** Words of `output_config.effort`; empty where thinking is bounded by a budget. */
  readonly efforts: readonly ClaudeEffort[]
  /** It continues a conversation that ends with the assistant's own words. */
  readonly prefill: boolean
  /** When a tool may be forced: `unthinking` is only while thinking is off, for a budget allows none. */
  readonly forcedTools: 'always' | 'unthinking' | 'never'
}

type Family = 'opus' | 'sonnet' | 'haiku' | 'fable' | 'mythos'

const untilMax = ['low', 'medium', 'high', 'max'] as const
const all = ['low', 'medium', 'high', 'xhigh', 'max'] as const

/** Claude 3 and older, but for what later lines change. */
const oldest: ClaudeModel = {
  maxOutput: 4_096,
  thinking: 'none',
  thinksByDefault: false,
  thinkingOff: false,
  thinkingHidden: false,
  boundThoughts: false,
  sampling: true,
  temperatureWithTopP: true,
  structuredOutputs: false,
  efforts: [],
  prefill: true,
  forcedTools: 'unthinking',
}

/** A model of a compatible server, or an alias whose name does not identify the model. */
const foreign: ClaudeModel = { ...oldest, thinking: 'budget' }

const withBudget: ClaudeModel = {
  ...oldest,
  maxOutput: 64_000,
  thinking: 'budget',
  thinkingOff: 'disabled',
}

const claude46: ClaudeModel = {
  ...withBudget,
  maxOutput: 128_000,
  thinking: 'adaptive',
  temperatureWithTopP: false,
  structuredOutputs: true,
  efforts: untilMax,
  prefill: false,
  forcedTools: 'always',
}

const claude47: ClaudeModel = { ...claude46, thinkingHidden: true, sampling: false, efforts: all }

const claude5: ClaudeModel = { ...claude47, thinksByDefault: true }

/** Thinking cannot be left out. */
const alwaysThinking: ClaudeModel = { ...claude5, thinkingOff: false }

const bound = { boundThoughts: true } as const

/** Vertex AI writes a version after an `@`, which the names of its newer models lack; structured outputs came with those. */
const withoutStructured = /claude-[a-z]+-4-[1-5]@/

/**
 * What a model takes, by its name: `claude-sonnet-4-20250514`, `claude-sonnet-4@20250514` (Vertex AI),
 * `us.anthropic.claude-sonnet-4-20250514-v1:0` and ARNs (Bedrock). A Claude with a name that is not known yet
 * counts as the newest; a name without `claude` as a small model of a compatible server.
 *
 * Sources: the vendor's pages on models, effort, adaptive thinking, structured outputs and migration.
 */
export function claudeModel(id: string): ClaudeModel {
  const name = id.toLowerCase()
  const model = ofName(name)
  return withoutStructured.test(name) ? { ...model, structuredOutputs: false } : model
}

function ofName(name: string): ClaudeModel {
  if (!name.includes('claude')) return foreign
  const older = /claude-v?(\d)(?:[-.](\d))?-(opus|sonnet|haiku)/.exec(name)
  if (older !== null) return ofVersion(versionOf(older[1], older[2]), older[3] as Family)
  if (/claude-(v?[12]\b|instant)/.test(name)) return oldest
  const newer = /claude-(opus|sonnet|haiku|fable|mythos)-(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)/.exec(name)
  if (newer !== null) return ofVersion(versionOf(newer[2], newer[3]), newer[1] as Family)
  return name.includes('claude-mythos') ? { ...alwaysThinking, efforts: untilMax } : claude5
}

/** `4.5` as 405, so that `4.10` comes after it. */
function versionOf(major: string | undefined, minor: string | undefined): number {
  return Number(major) * 100 + Number(minor ?? 0)
}

function ofVersion(version: number, family: Family): ClaudeModel {
  if (version >= 505) return latest(family)
  if (family === 'fable' || family === 'mythos') {
    return version >= 501 ? { ...alwaysThinking, ...bound, forcedTools: 'never' } : alwaysThinking
  }
  if (version >= 500) return claude5
  if (version >= 407) return claude47
  if (version >= 406) return claude46
  if (version >= 405) return { ...withBudget, temperatureWithTopP: false, structuredOutputs: true }
  if (version >= 401 && family === 'opus')
    return { ...withBudget, maxOutput: 32_000, temperatureWithTopP: false, structuredOutputs: true }
  if (version >= 400 && family === 'opus') return { ...withBudget, maxOutput: 32_000 }
  if (version >= 307) return withBudget
  return version >= 305 && family !== 'opus' ? { ...oldest, maxOutput: 8_192 } : oldest
}

function latest(family: Family): ClaudeModel {
  if (family === 'haiku') return { ...claude5, ...bound }
  const unforced: ClaudeModel = { ...alwaysThinking, ...bound, forcedTools: 'never' }
  return family === 'sonnet' ? { ...unforced, thinkingOff: 'between_tools' } : unforced
}
