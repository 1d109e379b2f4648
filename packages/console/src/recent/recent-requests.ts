import type { AttemptFailedEvent, DiscardedCallEvent, GatewayEvent } from '@sluice/core'
import type { RequestDetail, RequestRow } from '../api.ts'
import type { TargetLog } from '../targets/target-log.ts'
import { attemptRow, discardedRow } from './attempt-row.ts'
import { endedRequest, maxKept, startedRequest } from './request-detail.ts'
import { requestRow } from './request-row.ts'

/** The latest requests, those that run included. */
export interface RecentRequests {
  observe(event: GatewayEvent): void
  /** Newest first, by when they came. */
  list(): readonly RequestRow[]
  get(id: string): RequestDetail | undefined
  snapshot(): readonly RequestDetail[]
}

/** Returns requests of several processes, of each the latest `max`. */
export function requestsOf(all: readonly RequestDetail[]): Pick<RecentRequests, 'list' | 'get'> {
  return {
    list: () => all.map(requestRow).sort((one, other) => other.at - one.at),
    get: id => all.find(request => request.id === id),
  }
}

/**
 * Keeps `max` requests at most. Where there are more, the one that ended first is forgotten; where all run, the one that
 * began first, which is back when it ends. `changed` is called for each that begins, changes or ends.
 */
export function recentRequests(
  max: number,
  teamTag: string,
  targets: Pick<TargetLog, 'of'>,
  changed: (request: RequestDetail) => void,
): RecentRequests {
  const running = new Map<string, RequestDetail>()
  const ended = new Map<string, RequestDetail>()

  const keep = (map: Map<string, RequestDetail>, request: RequestDetail): void => {
    map.set(request.id, request)
    if (running.size + ended.size > max) forgetOne(ended.size > 0 ? ended : running)
    changed(request)
  }
  const attemptFailed = ({ requestId, attempt }: AttemptFailedEvent): void => {
    const request = running.get(requestId)
    if (request === undefined) return
    const hasSpace = request.attempts.length < maxKept.attempts
    keep(running, {
      ...request,
      attempts: hasSpace ? [...request.attempts, attemptRow(attempt)] : request.attempts,
      leftOut: request.leftOut + (hasSpace ? 0 : 1),
    })
  }
  const callDiscarded = (event: DiscardedCallEvent): void => {
    const map = running.has(event.requestId) ? running : ended
    const request = map.get(event.requestId)
    if (request === undefined) return
    const hasSpace = request.discarded.length < maxKept.discarded
    keep(map, {
      ...request,
      discarded: hasSpace ? [...request.discarded, discardedRow(event)] : request.discarded,
      leftOut: request.leftOut + (hasSpace ? 0 : 1),
    })
  }
  return {
    observe(event) {
      switch (event.type) {
        case 'begin':
          return keep(running, startedRequest(event, teamTag))
        case 'end': {
          const discarded = running.get(event.requestId)?.discarded ?? []
          running.delete(event.requestId)
          return keep(ended, endedRequest(event, teamTag, discarded, targets))
        }
        case 'attempt_failed':
          return attemptFailed(event)
        case 'discarded_call':
          return callDiscarded(event)
      }
    },
    list: () =>
      [...running.values(), ...ended.values()].map(requestRow).sort((one, other) => other.at - one.at),
    get: id => running.get(id) ?? ended.get(id),
    snapshot: () => [...running.values(), ...ended.values()],
  }
}

/** The oldest of a map. */
function forgetOne(map: Map<string, unknown>): void {
  for (const id of map.keys()) {
    map.delete(id)
    return
  }
}
