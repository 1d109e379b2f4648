import type { AttemptRecord } from '@sluice/core'
import { attemptResult } from '../attempt-result.ts'
import type { Instruments } from './instruments.ts'
import { otherValue } from './label-values.ts'
import type { Labels } from './labels.ts'

/** Counts an attempt at an upstream. */
export function countAttempt(attempt: AttemptRecord, { attempts }: Instruments, labels: Labels): void {
  attempts.inc({
    ...labels.place(attempt),
    why: attempt.why,
    result: attemptResult(attempt),
    upstream_status: statusValue(attempt.status),
  })
}

/** A vendor may say any number. Empty where it said none: Prometheus takes that as no label. */
function statusValue(status: number | undefined): string {
  if (status === undefined) return ''
  return Number.isInteger(status) && status >= 100 && status <= 599 ? String(status) : otherValue
}
