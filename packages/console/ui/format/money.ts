/** US dollars for people, with as many digits as small sums need: `$0.00042`, `$1.28`, `$12,400`. */
export function money(dollars: number | null | undefined): string {
  if (dollars === undefined || dollars === null) return '–'
  if (dollars === 0) return '$0'
  if (Math.abs(dollars) < 1) return `$${Number(dollars.toPrecision(2)).toFixed(digitsOf(dollars))}`
  return `$${dollars.toLocaleString('en', { maximumFractionDigits: dollars < 1000 ? 2 : 0, minimumFractionDigits: dollars < 1000 ? 2 : 0 })}`
}

function digitsOf(dollars: number): number {
  return Math.min(10, Math.max(2, 1 - Math.floor(Math.log10(Math.abs(dollars)))))
}

/** The same where there is little room: `$0.02`. */
export function shortMoney(dollars: number): string {
  return money(dollars)
    .replace(/(\.\d*?)0+$/, '$1')
    .replace(/\.$/, '')
}

/** What requests cost together; `no price` where nothing is known of what they cost. `unpriced`: how many have no known price. */
export function spent(dollars: number, unpriced: number): string {
  return dollars === 0 && unpriced > 0 ? 'no price' : money(dollars)
}
