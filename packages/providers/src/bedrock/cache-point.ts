import type { JsonObject, JsonValue, Message } from '@sluice/core/provider'
import { cacheControl } from '../conversation/extensions.ts'
import type { ParameterAdjuster } from '../parameters/parameter-adjuster.ts'
import type { BedrockModel } from './models.ts'

/** A block that marks the end of a cacheable prefix of the prompt. */
export type CachePoint = { readonly cachePoint: { readonly type: 'default'; readonly ttl?: JsonValue } }

/** Returns a caller's mark as the block after the marked one; empty without a mark, or without a cache. */
export function cachePoints(mark: JsonObject | undefined, model: BedrockModel): readonly CachePoint[] {
  if (mark === undefined || model.cachePoints === 'nowhere') return []
  const ttl = model.cachePoints === 'everywhere' ? mark.ttl : undefined
  return [{ cachePoint: { type: 'default', ...(ttl === undefined || ttl === null ? {} : { ttl }) } }]
}

/** Reports the marks on messages that are omitted for a model without a cache, or that get another time to live. */
export function reportCacheMarks(
  messages: readonly Message[],
  model: BedrockModel,
  adjuster: ParameterAdjuster,
): void {
  if (model.cachePoints === 'everywhere') return
  const reportMark = (holder: object, path: string) => {
    const mark = cacheControl(holder)
    if (mark === undefined) return
    if (model.cachePoints === 'nowhere') adjuster.drop(`${path}.cache_control`, 'this model has no cache')
    else if (mark.ttl !== undefined && mark.ttl !== '5m')
      adjuster.drop(`${path}.cache_control.ttl`, 'this model has only the usual time')
  }
  for (const [index, message] of messages.entries()) {
    reportMark(message, `messages[${index}]`)
    if (!Array.isArray(message.content)) continue
    for (const [at, part] of message.content.entries()) reportMark(part, `messages[${index}].content[${at}]`)
  }
}
