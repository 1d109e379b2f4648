import type { ChatRequest } from '@sluice/core/provider'
import { stopSequences } from '../claude/sampling.ts'
import type { ParameterAdjuster } from '../parameters/parameter-adjuster.ts'
import { anthropicNative } from './parameters.ts'

/** What other rules write. */
const written = new Set(['top_k', 'thinking', 'output_config'])

/** Of a user's id, in UTF-16 code units. */
const longestUserId = 256

/**
 * The fields that need little: stop sequences, the user's id, the service tier, and the vendor's own fields as
 * they came. Throws `GatewayError` (400) for a stop sequence of white space.
 */
export function plainFields(input: ChatRequest, adjuster: ParameterAdjuster): Record<string, unknown> {
  const fields: Record<string, unknown> = {}
  const stop = stopSequences(input.stop, true, adjuster)
  if (stop.length > 0) fields.stop_sequences = stop
  const user = userId(input, adjuster)
  if (user !== undefined) fields.metadata = { user_id: user }
  const tier = serviceTier(input.service_tier, adjuster)
  if (tier !== undefined) fields.service_tier = tier
  for (const name of anthropicNative) {
    const value = input[name]
    if (value !== undefined && value !== null && !written.has(name)) fields[name] = value
  }
  return fields
}

/** The vendor refuses a request for an id that is long or an address; as a hint, it is left out instead. */
function userId(
  { user, safety_identifier: safety }: ChatRequest,
  adjuster: ParameterAdjuster,
): string | undefined {
  const id = safety || user
  if (id === undefined || id === '') return undefined
  if (user && user !== id) adjuster.drop('user', 'safety_identifier was given too')
  const parameter = safety ? 'safety_identifier' : 'user'
  if (id.length > longestUserId) adjuster.drop(parameter, `longer than ${longestUserId} characters`)
  else if (/[^\s@]@[^\s@]+\.[^\s@]/.test(id)) adjuster.drop(parameter, 'an email address')
  else return id
  return undefined
}

function serviceTier(tier: ChatRequest['service_tier'], adjuster: ParameterAdjuster): string | undefined {
  if (tier === undefined || tier === 'auto') return tier
  if (tier === 'default') return 'standard_only'
  adjuster.drop('service_tier', 'this vendor has only auto and default')
  return undefined
}
