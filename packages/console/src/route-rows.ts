import type { TargetStatus } from '@sluice/core'
import type { RouteRow, TargetRow } from './api.ts'
import type { ConsoleGateway } from './console-gateway.ts'
import type { TargetLog } from './targets/target-log.ts'

/** Returns each model with its targets and their health, by names alone: no host of an upstream is shown. `now` is milliseconds since 1970. */
export function routeRows(gateway: ConsoleGateway, log: TargetLog, now: number): RouteRow[] {
  return gateway.targets().map(({ model, targets }) => ({
    model,
    targets: targets.map(status => targetRow(status, log, now)),
  }))
}

function targetRow({ provider, model, health, price }: TargetStatus, log: TargetLog, now: number): TargetRow {
  const { state, waitMs, active, scope, unavailableMs } = health
  const { last, reason } = log.of(provider, model)
  return {
    provider,
    model,
    state,
    // The event tells more, but a state that another process shared came without one.
    reason: state === 'closed' ? undefined : (reason ?? health.reason),
    scope,
    since: unavailableMs === undefined ? undefined : now - unavailableMs,
    waitMs,
    active,
    last,
    price,
  }
}
