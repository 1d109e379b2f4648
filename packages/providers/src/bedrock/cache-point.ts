import type { JsonObject, Message } from '@sluice/core'
import { cacheControl } from '../conversation/extensions.ts'
import type { Adjusting } from '../parameters/adjusting.ts'
import type { BedrockModel } from './models.ts'

/** A block that says: the prompt may be cached up to here. */
export type CachePoint = { readonly cachePoint: { readonly type: 'default'; readonly ttl?: '5m' | '1h' } }

/** A caller's mark as the block that stands after what is marked; nothing where there is none, or no cache. */
export function cachePoints(mark: JsonObject | undefined, model: BedrockModel): readonly CachePoint[] {
  if (mark === undefined || model.cachePoints === 'nowhere') return []
  const { ttl } = mark
  return [{ cachePoint: { type: 'default', ...(ttl === '5m' || ttl === '1h' ? { ttl } : {}) } }]
}

/** Tells of the marks on messages that a model without a cache leaves out. */
export function tellUncached(messages: readonly Message[], model: BedrockModel, adjusting: Adjusting): void {
  if (model.cachePoints !== 'nowhere') return
  const why = 'this model has no cache'
  for (const [index, message] of messages.entries()) {
    const path = `messages[${index}]`
    if (cacheControl(message) !== undefined) adjusting.drop(`${path}.cache_control`, why)
    if (!Array.isArray(message.content)) continue
    for (const [at, part] of message.content.entries()) {
      if (cacheControl(part) !== undefined) adjusting.drop(`${path}.content[${at}].cache_control`, why)
    }
  }
}
