import type { Adjustment } from '../contracts/provider.ts'
import { boundedLine } from '../primitives/safe-text.ts'

/** Servers and proxies bound the size of a head; the event has what does not fit. */
const longest = 2_000

/**
 * What was adjusted, as the header `x-sluice-adjustments`: a list of RFC 9651, each member the parameter with
 * what was done to it, such as `"seed";action=dropped`. What does not fit is counted by a last member `"*"`.
 */
export function adjustmentHeaders(adjustments: readonly Adjustment[]): Readonly<Record<string, string>> {
  return { 'x-sluice-adjustments': listOf(adjustments) }
}

function listOf(adjustments: readonly Adjustment[]): string {
  let list = ''
  for (const [index, adjustment] of adjustments.entries()) {
    const member = memberOf(adjustment)
    if (list.length + member.length > longest) {
      list += `, "*";more=${adjustments.length - index}`
      break
    }
    list += index === 0 ? member : `, ${member}`
  }
  return list.replace(/^, /, '')
}

function memberOf({ parameter, action, detail }: Adjustment): string {
  const told = detail === undefined ? '' : `;detail=${quoted(detail)}`
  return `${quoted(parameter)};action=${action}${told}`
}

/** A string of RFC 9651, section 3.3.3: printable ASCII; anything else becomes `?`. */
function quoted(text: string): string {
  return `"${text
    .slice(0, 200)
    .replaceAll(/[^\x20-\x7e]/g, '?')
    .replaceAll(/["\\]/g, '\\$&')}"`
}

const most = 1_000

/**
 * What was adjusted, for the record: names and their number are the caller's choice, and must not fill a log. A text
 * is one line, cut after 200 characters; more than 1,000 adjustments end in one named `*`, whose detail counts the rest.
 */
export function boundedAdjustments(adjustments: readonly Adjustment[]): readonly Adjustment[] {
  if (adjustments.length <= most) {
    return adjustments.every(fits) ? adjustments : adjustments.map(bounded)
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
