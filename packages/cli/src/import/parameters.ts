import type { ImportNode } from './import-reader.ts'

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

/**
 * What a place sets of a request; `undefined` where that is nothing. `resolve` gives the value that a text or a list of
 * texts stands for, and `undefined` where it stands for none.
 */
export function parametersOf(
  given: ImportNode,
  resolve: (value: unknown) => unknown = value => value,
): Record<string, unknown> | undefined {
  const parameters: Record<string, unknown> = {}
  for (const [key, kind] of Object.entries(kinds)) {
    const value = fieldOf(given.at(key), kind, resolve)
    if (value !== undefined) parameters[key] = value
  }
  const maxTokens = given.at('max_completion_tokens').count(1) ?? given.at('max_tokens').count(1)
  if (maxTokens !== undefined) parameters.max_completion_tokens = maxTokens
  return Object.keys(parameters).length === 0 ? undefined : parameters
}

function fieldOf(
  part: ImportNode,
  kind: 'number' | 'text' | 'flag' | 'any',
  resolve: (value: unknown) => unknown,
): unknown {
  // A configuration would read it as a reference.
  if (JSON.stringify(part.value)?.includes('${')) return undefined
  if (kind === 'number') return typeof part.value === 'number' ? part.number() : undefined
  if (kind === 'flag') return part.flag()
  const value = resolve(part.value)
  if (value === undefined || value === null) return undefined
  if (kind === 'text') return part.text() === undefined ? undefined : value
  part.markRead()
  return value
}
