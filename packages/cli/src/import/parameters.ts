import type { Part } from './part.ts'

/** Of a request's own fields those that a place may set, and what they may be. */
const kinds: Readonly<Record<string, 'number' | 'text' | 'flag' | 'any'>> = {
  temperature: 'number',
  top_p: 'number',
  seed: 'number',
  presence_penalty: 'number',
  frequency_penalty: 'number',
  stop: 'any',
  reasoning_effort: 'text',
  verbosity: 'text',
  service_tier: 'text',
  parallel_tool_calls: 'flag',
  response_format: 'any',
}

/** What a place sets of a request; `undefined` where that is nothing. */
export function parametersOf(given: Part): Record<string, unknown> | undefined {
  const parameters: Record<string, unknown> = {}
  for (const [key, kind] of Object.entries(kinds)) {
    const value = fieldOf(given.at(key), kind)
    if (value !== undefined) parameters[key] = value
  }
  const most = given.at('max_completion_tokens').count(1) ?? given.at('max_tokens').count(1)
  if (most !== undefined) parameters.max_completion_tokens = most
  return Object.keys(parameters).length === 0 ? undefined : parameters
}

function fieldOf(part: Part, kind: 'number' | 'text' | 'flag' | 'any'): unknown {
  // A configuration would read it as a reference.
  if (JSON.stringify(part.value)?.includes('${')) return undefined
  if (kind === 'number') return typeof part.value === 'number' ? part.number() : undefined
  if (kind === 'text') return part.text()
  if (kind === 'flag') return part.flag()
  return part.isThere && part.value !== null ? part.take().value : undefined
}
