import type { JsonObject } from '@sluice/core'

/**
 * Numbers that may fit a number schema, most sensible first; the caller checks them. `salt` asks for others,
 * for lists whose items must differ.
 */
export function numbersFor(schema: JsonObject, whole: boolean, salt: number): number[] {
  const step = typeof schema.multipleOf === 'number' && schema.multipleOf > 0 ? schema.multipleOf : 1
  const low = bound(schema.minimum, schema.exclusiveMinimum, Math.max)
  const high = bound(schema.maximum, schema.exclusiveMaximum, Math.min)
  const found: number[] = []
  const anchor = low ?? (high === undefined ? step : Math.min(step, high))
  const upward = low === undefined && high !== undefined && high <= step ? -1 : 1
  for (const at of [Math.max(anchor, high === undefined || high >= step ? step : anchor), anchor]) {
    const first = upward > 0 ? Math.ceil(at / step) * step : Math.floor(at / step) * step
    for (const moved of [0, 1, 2]) found.push(first + upward * (moved + salt) * step)
  }
  if (!whole && typeof schema.multipleOf !== 'number' && low !== undefined && high !== undefined) {
    found.push(low + (high - low) / (salt + 2), low + ((high - low) * (salt + 1)) / (salt + 2))
  }
  return found
    .map(value => (value === 0 ? 0 : value))
    .filter(value => Number.isFinite(value) && (!whole || Number.isInteger(value)))
}

function bound(
  inclusive: unknown,
  exclusive: unknown,
  tighter: (...values: number[]) => number,
): number | undefined {
  const bounds = [inclusive, exclusive].filter(value => typeof value === 'number')
  return bounds.length === 0 ? undefined : tighter(...bounds)
}
