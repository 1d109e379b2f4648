import type { Adjustment, EncodedRequest, Provider, Target } from '@sluice/core'
import { local } from '@sluice/providers'
import type { TypedConfig } from '../config/config.ts'

const label: readonly Adjustment[] = Object.freeze([
  { parameter: 'model', action: 'mapped', detail: 'local(), a stand-in and not a language model' },
])

/**
 * A configuration in which `local` labels its answers for every model but itself: the header `x-sluice-adjustments` says
 * that another model has answered.
 */
export function withLabelledStandIns(config: TypedConfig): TypedConfig {
  const { provider } = local()
  const labelled: Provider = {
    ...provider,
    encode: async call => {
      const request: EncodedRequest = await provider.encode(call)
      const { adjustments = [] } = request
      return { ...request, adjustments: adjustments.length === 0 ? label : [...label, ...adjustments] }
    },
  }
  const models = Object.entries(config.models).map(([name, route]) => {
    const model = typeof route === 'string' ? /^local\/(.+)$/.exec(route)?.[1] : undefined
    if (model === undefined || name === 'local') return [name, route] as const
    const target: Target = { provider: labelled, model: model === '*' ? 'local' : model }
    return [name, target] as const
  })
  return { ...config, models: Object.fromEntries(models) }
}
