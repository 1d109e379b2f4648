import type { JsonObject, JsonValue, Turn, TurnOrigin } from '@sluice/core/provider'
import { cacheMark } from '../conversation/extensions.ts'
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

/** Reports the marks on turns and their parts that are omitted for a model without a cache, or that get another time to live. */
export function reportCacheMarks(
  turns: readonly Turn[],
  model: BedrockModel,
  adjuster: ParameterAdjuster,
): void {
  if (model.cachePoints === 'everywhere') return
  const reportMark = (marked: TurnOrigin) => {
    const mark = cacheMark(marked)
    if (mark === undefined) return
    const path = `${marked.path}.cache_control`
    if (model.cachePoints === 'nowhere') adjuster.drop({ path }, 'this model has no cache')
    else if (mark.ttl !== undefined && mark.ttl !== '5m')
      adjuster.drop({ path: `${path}.ttl` }, 'this model has only the usual time')
  }
  for (const turn of turns) {
    reportMark(turn)
    for (const part of turn.parts) {
      reportMark(part)
      if (part.kind === 'result') for (const item of part.parts) reportMark(item)
    }
  }
}
