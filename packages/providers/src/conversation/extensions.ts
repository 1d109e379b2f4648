import type { JsonObject, TurnOrigin } from '@sluice/core/provider'

/** `cache_control`: a mark that the prompt may be cached up to here, such as `{ type: 'ephemeral', ttl: '1h' }`. */
export function cacheControl(holder: object): JsonObject | undefined {
  const mark = (holder as { readonly cache_control?: unknown }).cache_control
  return isObject(mark) ? mark : undefined
}

/** The mark of a turn or a part. */
export function cacheMark({ extra }: TurnOrigin): JsonObject | undefined {
  return extra === undefined ? undefined : cacheControl(extra)
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
