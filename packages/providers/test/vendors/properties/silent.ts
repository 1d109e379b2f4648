import { GatewayError } from '@sluice/core'
import type { ChatRequest, EncodedRequest } from '@sluice/core/provider'

/** Values that ask for what is done anyway. */
const neutral: Readonly<Record<string, (value: unknown, input: ChatRequest) => boolean>> = {
  n: value => value === 1,
  temperature: value => value === 1,
  top_p: value => value === 1,
  stream: value => value === false,
  // Counts are always asked for, and obfuscation is the gateway's own.
  stream_options: () => true,
  logprobs: value => value === false,
  top_logprobs: (value, { logprobs }) => value === 0 || logprobs !== true,
  logit_bias: value => Object.keys(value as object).length === 0,
  metadata: value => Object.keys(value as object).length === 0,
  presence_penalty: value => value === 0,
  frequency_penalty: value => value === 0,
  modalities: value => (value as string[]).every(kind => kind === 'text'),
  parallel_tool_calls: (value, { tools = [], tool_choice: choice }) =>
    value === true || tools.length === 0 || choice === 'none',
  tool_choice: (value, { tools = [] }) => tools.length === 0 || value === 'auto' || allowsAll(value, tools),
  // Both say who asks: where they say the same, one of them is enough.
  user: (value, { safety_identifier: id }) => value === '' || value === id,
  safety_identifier: (value, { user }) => value === '' || value === user,
  prompt_cache_key: value => value === '',
  service_tier: value => value === 'auto' || value === 'default',
  store: value => value === false,
  tools: (_, { tool_choice: choice }) => choice === 'none',
  response_format: value => (value as { type: string }).type === 'text',
  reasoning_effort: value => value === 'none',
  thinking: value => (value as { type: string }).type === 'disabled',
  model: () => true,
  messages: () => true,
}

/** A choice that leaves every tool to choose from. */
function allowsAll(choice: unknown, tools: readonly unknown[]): boolean {
  const { allowed_tools: allowed } = choice as { allowed_tools?: { mode: string; tools: unknown[] } }
  return allowed?.mode === 'auto' && allowed.tools.length === tools.length
}

/**
 * The parameters of a request that are neither in the vendor's request nor told of: without one of them the
 * vendor's request is the same.
 */
export async function silent(
  input: ChatRequest,
  { url, body, headers, adjustments = [] }: EncodedRequest,
  encoded: (input: ChatRequest) => Promise<EncodedRequest | GatewayError>,
): Promise<string[]> {
  const told = new Set(adjustments.map(({ parameter }) => /^\w+/.exec(parameter)?.[0]))
  const lost: string[] = []
  for (const [name, value] of Object.entries(input)) {
    if (told.has(name) || neutral[name]?.(value, input) === true) continue
    const { [name]: _, ...rest } = input
    const without = await encoded(rest as ChatRequest)
    if (GatewayError.is(without)) continue
    const same = without.url === url && without.body === body
    if (same && JSON.stringify(without.headers) === JSON.stringify(headers)) {
      lost.push(`${name}: ${JSON.stringify(value)}`)
    }
  }
  return lost
}
