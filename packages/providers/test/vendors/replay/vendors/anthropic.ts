import { anthropic } from '@sluice/providers'
import type { ReplayedVendor } from '../vendors.ts'

type Json = Record<string, unknown>

export const anthropicReplay: ReplayedVendor = {
  connect: (origin, options) => anthropic({ apiKey: 'test-key', baseURL: `${origin}/v1`, ...options }),
  model: 'claude-haiku-4-5',
  headers: { 'x-api-key': 'test-key', 'anthropic-version': '2023-06-01', 'content-type': 'application/json' },
  canonical,
}

/**
 * "Using a string for content is shorthand for an array of one content block of type text" (Messages API); the
 * same holds of `system`. `stream` is false where it is absent.
 */
function canonical(body: Json): Json {
  const { system, messages, stream, ...rest } = body
  return {
    ...rest,
    ...(stream === true ? { stream } : {}),
    ...(system === undefined ? {} : { system: blocks(system) }),
    messages: (messages as Json[]).map(({ content, ...message }) => ({
      ...message,
      content: (blocks(content) as Json[]).map(block =>
        block.type === 'tool_result' && block.content !== undefined
          ? { ...block, content: blocks(block.content) }
          : block,
      ),
    })),
  }
}

function blocks(content: unknown): unknown {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content
}
