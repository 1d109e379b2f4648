import type { Call, ConversationLoss } from '@sluice/core/provider'
import type { ParameterAdjuster } from '../parameters/parameter-adjuster.ts'

/**
 * Reports what the messages of `input` cannot express of the caller's conversation. Throws `GatewayError` (400) for content,
 * or drops it if the adjuster's mode is `drop`.
 */
export function reportLosses(call: Call, adjuster: ParameterAdjuster): void {
  const { request } = call
  if (request === undefined || request.dialect === 'chat') return
  reportTranslationLosses(call, adjuster)
  for (const loss of request.losses()) report(loss, adjuster)
}

/** Reports what neither the turns nor the settings of a request can express. Throws as `reportLosses`. */
export function reportTranslationLosses({ request }: Call, adjuster: ParameterAdjuster): void {
  for (const loss of request?.translationLosses?.() ?? []) report(loss, adjuster)
}

function report({ path, why, kind }: ConversationLoss, adjuster: ParameterAdjuster): void {
  if (kind === 'mapped') adjuster.map({ path }, why)
  else if (kind === 'hint') adjuster.drop({ path }, why)
  else {
    const sentence = `${why.charAt(0).toUpperCase()}${why.slice(1)}.`
    if (/[.[]/.test(path)) adjuster.unsupportedPart(path, sentence)
    else adjuster.unsupported({ path }, sentence)
  }
}
