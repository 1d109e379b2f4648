import type { Adjustment } from '../contracts/provider.ts'
import { boundedLine } from '../primitives/safe-text.ts'

/** Servers and proxies bound the size of a head; the event has what does not fit. */
const maxHeaderLength = 2_000

/**
 * What was adjusted, as the header `x-sluice-adjustments`: a list of RFC 9651, each member the parameter with
 * what was done to it, such as `"seed";action=dropped`. What does not fit is counted by a last member `"*"`.
 */
export function adjustmentHeaders(adjustments: readonly Adjustment[]): Readonly<Record<string, string>> {
  const known = written.get(adjustments)
  if (known !== undefined) return known
  const headers = { 'x-sluice-adjustments': listOf(adjustments) }
  // What can still change is written each time.
  if (Object.isFrozen(adjustments)) written.set(adjustments, headers)
  return headers
}

const written = new WeakMap<readonly Adjustment[], Readonly<Record<string, string>>>()

function listOf(adjustments: readonly Adjustment[]): string {
  let list = ''
  for (const [index, adjustment] of adjustments.entries()) {
    const member = memberOf(adjustment)
    if (list.length + member.length > maxHeaderLength) {
      list += `, "*";more=${adjustments.length - index}`
      break
    }
    list += index === 0 ? member : `, ${member}`
  }
  return list.replace(/^, /, '')
}

function memberOf({ parameter, action, detail }: Adjustment): string {
  const detailText = detail === undefined ? '' : `;detail=${quoted(detail)}`
  return `${quoted(parameter)};action=${action}${detailText}`
}

/** A string of RFC 9651, section 3.3.3: printable ASCII; anything else becomes `?`. */
function quoted(text: string): string {
  return `"${text
    .slice(0, 200)
    .replaceAll(/[^\x20-\x7e]/g, '?')
    .replaceAll(/["\\]/g, '\\$&')}"`
}

const maxAdjustments = 1_000
const fitting = new WeakSet<readonly Adjustment[]>()

/**
 * What was adjusted, for the record: names and their number are the caller's choice, and must not fill a log. A text
 * is one line, cut after 200 characters; more than 1,000 adjustments end in one named `*`, whose detail counts the rest.
 */
export function boundedAdjustments(adjustments: readonly Adjustment[]): readonly Adjustment[] {
  if (fitting.has(adjustments)) return adjustments
  if (adjustments.length <= maxAdjustments) {
    if (!adjustments.every(fits)) return adjustments.map(bounded)
    // What nobody can change fits the next time too.
    if (Object.isFrozen(adjustments) && adjustments.every(Object.isFrozen)) fitting.add(adjustments)
    return adjustments
  }
  const rest = {
    parameter: '*',
    action: 'dropped',
    detail: `${adjustments.length - maxAdjustments} more`,
  } as const
  return [...adjustments.slice(0, maxAdjustments).map(bounded), rest]
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
