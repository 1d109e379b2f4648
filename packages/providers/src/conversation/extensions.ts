import type { JsonObject } from '@sluice/core/provider'

/** Fields beyond the protocol that clients may send on a message or a part. They come unchecked. */
interface Extended {
  readonly cache_control?: unknown
  readonly reasoning_content?: unknown
  readonly reasoning_details?: unknown
}

/** `cache_control`: a mark that the prompt may be cached up to here, such as `{ type: 'ephemeral', ttl: '1h' }`. */
export function cacheControl(holder: object): JsonObject | undefined {
  const mark = (holder as Extended).cache_control
  return isObject(mark) ? mark : undefined
}

/** What an assistant's message carries of its reasoning; `undefined` where it carries none. */
export function reasoningDetails(
  message: object,
): { readonly text: string | undefined; readonly details: readonly JsonObject[] } | undefined {
  const { reasoning_content, reasoning_details } = message as Extended
  const text =
    typeof reasoning_content === 'string' && reasoning_content !== '' ? reasoning_content : undefined
  const details = Array.isArray(reasoning_details) ? reasoning_details.filter(isObject) : []
  return text === undefined && details.length === 0 ? undefined : { text, details }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
