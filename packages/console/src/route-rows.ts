import type { TargetStatus } from '@sluice/core'
import type { RouteRow, TargetRow } from './api.ts'
import type { ConsoleGateway } from './console-gateway.ts'
import type { TargetLog } from './targets/target-log.ts'

/** Each model with its targets and their health, by names alone: no host of an upstream is told. */
export function routeRows(gateway: ConsoleGateway, log: TargetLog): RouteRow[] {
  return gateway.targets().map(({ model, targets }) => ({
    model,
    targets: targets.map(status => targetRow(status, log)),
  }))
}

function targetRow({ provider, model, health }: TargetStatus, log: TargetLog): TargetRow {
  const { state, waitMs, active } = health
  const { last, ...noted } = log.of(provider, model)
  // Between the change of a state and its event there may be a moment.
  const { reason, since } = state === 'closed' ? { reason: undefined, since: undefined } : noted
  // What the gateway itself knows of it goes before what its events said.
  const given: object = health
  return {
    provider,
    model,
    state,
    reason: 'reason' in given && typeof given.reason === 'string' ? given.reason : reason,
    since: 'since' in given && typeof given.since === 'number' ? given.since : since,
    waitMs,
    active,
    last,
  }
}
