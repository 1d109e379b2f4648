import type { ProviderKeyEvent, TargetEvent, UnavailableReason } from '@sluice/core'
import type { Instruments } from './instruments.ts'
import { isOther, type Labels, otherValue } from './labels.ts'

const states = ['closed', 'cooldown', 'open', 'half_open'] as const

const reasons = Object.keys({
  rate_limited: true,
  overloaded: true,
  unreachable: true,
  insufficient_quota: true,
  upstream_auth: true,
} satisfies Record<UnavailableReason, true>)

/**
 * Sets the current state of a target to 1 and the others to 0, and since when it is unavailable for its reason. Targets
 * that are `other` have no state. `now` is in milliseconds since 1970.
 */
export function setTargetState(
  event: TargetEvent,
  { targetState, targetUnavailableSince }: Instruments,
  labels: Labels,
  now: number,
): void {
  const target = labels.target(event)
  if (isOther(target)) return
  for (const state of states) targetState.set({ ...target, state }, state === event.state ? 1 : 0)
  const since = Math.round((now - event.unavailableMs) / 1_000)
  for (const reason of reasons) {
    targetUnavailableSince.set({ ...target, reason }, reason === event.reason ? since : 0)
  }
}

/** Sets whether a key of a provider is in cooldown at a target. Keys beyond the maximum number of labels are omitted. */
export function setKeyState(event: ProviderKeyEvent, { keyCooldown }: Instruments, labels: Labels): void {
  const key = { ...labels.target(event), key: labels.key(event.key) }
  if (Object.values(key).includes(otherValue)) return
  keyCooldown.set(key, event.state === 'cooldown' ? 1 : 0)
}
