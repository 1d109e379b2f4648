import type { Call } from '@sluice/core/provider'
import type { ParameterAdjuster } from '../parameters/parameter-adjuster.ts'

/**
 * Reports what the messages of `input` cannot express of the caller's conversation. Throws `GatewayError` (400) for content,
 * or drops it if the adjuster's mode is `drop`.
 */
export function reportLosses({ request }: Call, adjuster: ParameterAdjuster): void {
  if (request === undefined || request.dialect === 'chat') return
  for (const { path, why, kind } of request.losses()) {
    if (kind === 'mapped') adjuster.map({ path }, why)
    else if (kind === 'hint') adjuster.drop({ path }, why)
    else adjuster.unsupported({ path }, `${why.charAt(0).toUpperCase()}${why.slice(1)}.`)
  }
}
