import type { TargetEvent } from '@sluice/core'
import type { Instruments } from './instruments.ts'
import { otherValue } from './label-values.ts'
import type { Labels } from './labels.ts'

const states = ['closed', 'cooling', 'open', 'half_open'] as const

/** Sets the state that a target is in to 1, and the others to 0. Of many targets under one name there is none. */
export function tellTargetState(event: TargetEvent, { targetState }: Instruments, labels: Labels): void {
  const place = labels.place(event)
  if (place.provider === otherValue || place.upstream_model === otherValue) return
  for (const state of states) targetState.set({ ...place, state }, state === event.state ? 1 : 0)
}
