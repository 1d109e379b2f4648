import type { RouteRow } from './api.ts'
import type { ConsoleGateway } from './console-gateway.ts'

/** Each model with its targets and their health, by names alone: no host of an upstream is told. */
export function routeRows(gateway: ConsoleGateway): RouteRow[] {
  return gateway.targets().map(({ model, targets }) => ({
    model,
    targets: targets.map(({ provider, model, health }) => ({
      provider,
      model,
      state: health.state,
      waitMs: health.waitMs,
      reason: health.reason,
      scope: health.scope,
      unavailableMs: health.unavailableMs,
      active: health.active,
      firstTokenMs: health.firstTokenMs,
      wholeMs: health.wholeMs,
    })),
  }))
}
