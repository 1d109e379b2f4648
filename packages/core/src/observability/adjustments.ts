import type { Adjustment } from '../contracts/provider.ts'
import { boundedLine } from '../primitives/safe-text.ts'

/** Servers and proxies limit the size of headers. The `end` event has all adjustments. */
const maxHeaderLength = 2_000

/**
 * Returns the header `x-sluice-adjustments`: a list (RFC 9651) of parameters with their action, such as
 * `"seed";action=dropped`. Those that do not fit are counted in a last member `"*"`.
 */
export function adjustmentHeaders(adjustments: readonly Adjustment[]): Readonly<Record<string, string>> {
  return { 'x-sluice-adjustments': listOf(adjustments) }
}

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

/**
 * Returns adjustments for events, bounded because callers choose names and number. Texts are one line of at most 200
 * characters. Of more than 1,000 adjustments, the rest is counted in a last one with the parameter `*`.
 */
export function boundedAdjustments(adjustments: readonly Adjustment[]): readonly Adjustment[] {
  if (adjustments.length <= maxAdjustments) {
    return adjustments.every(fits) ? adjustments : adjustments.map(bounded)
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
