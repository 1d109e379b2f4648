import type { ChatRequest } from '@sluice/core/provider'
import type { ParameterAdjuster } from '../parameters/parameter-adjuster.ts'

type Tier = ChatRequest['service_tier']

const tiers: Readonly<Partial<Record<NonNullable<Tier>, string>>> = {
  default: 'standard',
  flex: 'flex',
  priority: 'priority',
}

/** `service_tier` as the Gemini API's `serviceTier`; `undefined` without a tier, or for one that it lacks. */
export function geminiServiceTier(tier: Tier, adjuster: ParameterAdjuster): string | undefined {
  if (tier === undefined || tier === 'auto') return undefined
  const theirs = tiers[tier]
  if (theirs === undefined) adjuster.drop('service_tier')
  return theirs
}

/**
 * `service_tier` as a request header of Vertex AI; empty without a tier, or for one that it lacks. Only the global
 * location has tiers.
 */
export function vertexServiceTier(
  tier: Tier,
  location: string,
  adjuster: ParameterAdjuster,
): Readonly<Record<string, string>> {
  if (tier === undefined || tier === 'auto' || tier === 'default') return {}
  if (tier !== 'flex' && tier !== 'priority') adjuster.drop('service_tier')
  else if (location !== 'global') adjuster.drop('service_tier', 'only the global location has it')
  else return { 'x-vertex-ai-llm-shared-request-type': tier }
  return {}
}
