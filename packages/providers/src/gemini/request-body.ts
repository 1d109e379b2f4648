import type { Call, ChatRequest, Tool } from '@sluice/core/provider'
import { type Conversation, type MergedTurn, readConversation } from '../conversation/conversation.ts'
import { cacheControl } from '../conversation/extensions.ts'
import type { ParameterAdjuster } from '../parameters/parameter-adjuster.ts'
import { applyRules, type ParameterRules } from '../parameters/parameter-rules.ts'
import { checkTurns } from './check-turns.ts'
import { contentsOf } from './contents.ts'
import { generationConfig } from './generation-config.ts'
import { type GoogleApi, geminiModel } from './models.ts'
import type { SafetySetting } from './safety-settings.ts'
import { withSystem } from './system-instruction.ts'
import { requestTools } from './tools.ts'
import type { PartSettings } from './user-part.ts'

/** The service that a request goes to, and what its owner wants of it. */
export interface GenerateContentSettings extends Pick<PartSettings, 'images' | 'readsUrl'> {
  readonly api: GoogleApi
  readonly rules: ParameterRules
  /** The vendor's own fields that callers may send. */
  readonly native: readonly string[]
  readonly safetySettings: readonly SafetySetting[] | undefined
}

/**
 * The caller's request in the words of `generateContent`, but for what the two services have each in their own
 * way (`service_tier`, `metadata`). Throws `GatewayError` (400) for what it cannot express.
 */
export async function generateContentBody(
  call: Call,
  settings: GenerateContentSettings,
  adjuster: ParameterAdjuster,
): Promise<Record<string, unknown>> {
  const { input } = call
  const model = geminiModel(call.model)
  applyRules(input, settings.rules, settings.native, adjuster)
  const conversation = readConversation(call, adjuster)
  if (hasCacheMark(conversation, input.tools)) adjuster.drop('cache_control', 'caching is implicit')
  const parts = { ...settings, mediaResolution: model.mediaResolution }
  const contents = await contentsOf(conversation, model, parts, adjuster)
  const withInstruction = withSystem(conversation, contents, model, adjuster)
  checkTurns(withInstruction.contents, conversation.given, model)
  const config = generationConfig(call, model, settings.api, adjuster)
  return {
    ...withInstruction,
    ...requestTools(input, model, settings.api, adjuster),
    ...(Object.keys(config).length > 0 ? { generationConfig: config } : {}),
    ...nativeFields(input, settings.safetySettings, adjuster),
  }
}

/** What the owner of the service sets holds: a caller can neither loosen nor tighten it. */
function nativeFields(
  { cachedContent, safetySettings: given }: ChatRequest,
  owners: readonly SafetySetting[] | undefined,
  adjuster: ParameterAdjuster,
): Record<string, unknown> {
  const fields: Record<string, unknown> = {}
  if (cachedContent !== undefined && cachedContent !== null) fields.cachedContent = cachedContent
  const asked = given !== undefined && given !== null
  if (owners !== undefined) {
    fields.safetySettings = owners
    if (asked) adjuster.drop('safetySettings', 'set by the service')
  } else if (asked) {
    fields.safetySettings = given
  }
  return fields
}

/** Whether a caller marked anything as a place up to which the prompt may be cached. */
function hasCacheMark({ system, turns }: Conversation, tools: readonly Tool[] = []): boolean {
  return (
    system.some(isMarked) ||
    turns.some(turn => markable(turn).some(isMarked)) ||
    tools.some(tool => cacheControl(tool) !== undefined)
  )
}

function markable(turn: MergedTurn): readonly object[] {
  if (turn.role === 'assistant') return turn.items
  return [...turn.items, ...turn.results, ...turn.results.flatMap(({ items }) => items)]
}

function isMarked(item: object): boolean {
  return 'cacheControl' in item
}
