import type { TargetRow } from '../../src/api.ts'
import { money } from '../format/money.ts'

/** Prices per million tokens: `$0.15 in, $0.60 out`. */
export function priceText(price: TargetRow['price']): string {
  if (price === null) return 'no price'
  return `${money(price.input)}\u00a0in, ${money(price.output)}\u00a0out`
}
