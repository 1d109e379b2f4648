import { type EndEvent, type GatewayEvent, UpstreamError } from '@sluice/core'
import type { LastAnswer } from '../api.ts'
import { failureCode } from '../recent/failure-code.ts'

/** What the events said of a target last. */
export interface TargetNotes {
  /** Of the state that it is in now; `undefined` while it is closed, and where no failure is known. */
  readonly reason: string | undefined
  /** When it entered that state, in milliseconds since 1970; `undefined` while it is closed. */
  readonly since: number | undefined
  readonly last: LastAnswer | undefined
}

/** What is known of targets beside their health. */
export interface TargetLog {
  observe(event: GatewayEvent): void
  of(provider: string, model: string): TargetNotes
  snapshot(): TargetsSnapshot
  /** Adds what another log has: of the same target, the later answer and the longer state stay. */
  addSnapshot(snapshot: TargetsSnapshot): void
}

/** Notes by target. */
export type TargetsSnapshot = readonly (readonly [string, TargetNotes])[]

/** Of more targets the one that was seen first is forgotten: callers can name models of a pattern without end. */
const maxTargets = 500

const nothing: TargetNotes = { reason: undefined, since: undefined, last: undefined }

/** Remembers why targets are in their states, and how long their last answers took. `now` is milliseconds since 1970. */
export function targetLog(now: () => number): TargetLog {
  const notes = new Map<string, TargetNotes>()
  const keyOf = (provider: string, model: string) => JSON.stringify([provider, model])

  const note = (provider: string, model: string, changes: Partial<TargetNotes>): void => {
    const key = keyOf(provider, model)
    const known = notes.get(key)
    notes.set(key, { ...(known ?? nothing), ...changes })
    if (known !== undefined || notes.size <= maxTargets) return
    for (const first of notes.keys()) {
      notes.delete(first)
      break
    }
  }
  return {
    observe(event) {
      if (event.type === 'target') {
        const { provider, model, state, error } = event
        const closed = state === 'closed'
        note(provider, model, {
          reason: closed ? undefined : targetReason(error),
          since: closed ? undefined : now(),
        })
      } else if (event.type === 'end') {
        const answer = event.attempts.findLast(({ called, error }) => called && error === undefined)
        if (answer !== undefined && event.outcome === 'completed')
          note(answer.provider, answer.model, { last: lastAnswer(event, answer) })
      }
    },
    of: (provider, model) => notes.get(keyOf(provider, model)) ?? nothing,
    snapshot: () => [...notes],
    addSnapshot(snapshot) {
      for (const [key, given] of snapshot) {
        const known = notes.get(key) ?? nothing
        const state = known.since !== undefined && !(given.since! < known.since) ? known : given
        const last = (known.last?.at ?? 0) > (given.last?.at ?? 0) ? known.last : given.last
        notes.set(key, { reason: state.reason, since: state.since, last })
      }
    },
  }
}

/** Both times are of one response: averages of streams and of complete responses cannot be compared. */
function lastAnswer(
  { at, stream, timings }: EndEvent,
  { startMs, ms }: EndEvent['attempts'][number],
): LastAnswer {
  return {
    at: at + timings.total,
    firstTokenMs: stream ? ms : undefined,
    totalMs: stream ? Math.max(ms, timings.total - startMs) : ms,
  }
}

/**
 * Why a target is not called, in a word: `rate_limited`, `credentials_refused`, `access_denied`, `quota_exhausted`, the
 * status of the provider's error (`http_503`), or how the call failed (`first_byte_timeout`). `undefined` where no failure is
 * known.
 */
export function targetReason(error: unknown): string | undefined {
  if (!UpstreamError.is(error) || error.kind !== 'refused') return failureCode(error)
  const { status, code } = error
  if (status === 402 || code === 'insufficient_quota') return 'quota_exhausted'
  if (status === 401) return 'credentials_refused'
  if (status === 403) return 'access_denied'
  if (status === 429) return 'rate_limited'
  return status === undefined ? 'refused' : `http_${status}`
}
