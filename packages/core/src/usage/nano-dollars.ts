/**
 * Dollars in whole billionths, rounded up; at most what a double holds exactly. What is a whole number but for the
 * error of floats is that number: 0.0125 dollars are 12,500,000.
 */
export function nanoDollars(dollars: number): number {
  const exact = dollars * 1e9
  const near = Math.round(exact)
  const whole = Math.abs(exact - near) <= exact * 2 ** -50 ? near : Math.ceil(exact)
  return Math.min(whole, Number.MAX_SAFE_INTEGER)
}
