import type { Adjustment } from '../contracts/provider.ts'
import { boundedLine } from '../primitives/safe-text.ts'

const most = 1_000
const fitting = new WeakSet<readonly Adjustment[]>()

/**
 * What was adjusted, for the record: names and their number are the caller's choice, and must not fill a log. A text
 * is one line, cut after 200 characters; more than 1,000 adjustments end in one named `*`, whose detail counts the rest.
 */
export function boundedAdjustments(adjustments: readonly Adjustment[]): readonly Adjustment[] {
  if (fitting.has(adjustments)) return adjustments
  if (adjustments.length <= most) {
    if (!adjustments.every(fits)) return adjustments.map(bounded)
    // What nobody can change fits the next time too.
    if (Object.isFrozen(adjustments) && adjustments.every(Object.isFrozen)) fitting.add(adjustments)
    return adjustments
  }
  const rest = { parameter: '*', action: 'dropped', detail: `${adjustments.length - most} more` } as const
  return [...adjustments.slice(0, most).map(bounded), rest]
}

function fits({ parameter, detail = '' }: Adjustment): boolean {
  return boundedLine(parameter) === parameter && boundedLine(detail) === detail
}

function bounded(adjustment: Adjustment): Adjustment {
  if (fits(adjustment)) return adjustment
  const { parameter, detail } = adjustment
  return {
    ...adjustment,
    parameter: boundedLine(parameter),
    ...(detail !== undefined && { detail: boundedLine(detail) }),
  }
}
