/** A value of a calculation: an exact fraction in lowest terms, or a number that may err in its last digits. */
export type Calculated = Fraction | number

interface Fraction {
  readonly over: bigint
  /** Above 0. */
  readonly under: bigint
}

/** Larger fractions become numbers: a float holds up to 1,024 bits. */
const mostBits = 1_000

/** Reads `12`, `.5`, `2.5e-3`. */
export function literal(text: string): Calculated {
  const [, whole = '', decimals = '', exponent = '0'] = /^(\d*)\.?(\d*)(?:e([+-]?\d+))?$/i.exec(text) ?? []
  const power = Number(exponent) - decimals.length
  if (Math.abs(power) > 400) return Number.NaN
  const digits = BigInt(whole + decimals)
  return power >= 0 ? fraction(digits * 10n ** BigInt(power), 1n) : fraction(digits, 10n ** BigInt(-power))
}

/** `NaN` where the operation has no result, or none that can be written down. */
export function operate(left: Calculated, operator: string, right: Calculated): Calculated {
  if (typeof left === 'number' || typeof right === 'number')
    return roughly(asNumber(left), operator, asNumber(right))
  const { over: a, under: b } = left
  const { over: c, under: d } = right
  switch (operator) {
    case '+':
      return fraction(a * d + c * b, b * d, () => roughly(asNumber(left), '+', asNumber(right)))
    case '-':
      return fraction(a * d - c * b, b * d, () => roughly(asNumber(left), '-', asNumber(right)))
    case '*':
      return fraction(a * c, b * d, () => roughly(asNumber(left), '*', asNumber(right)))
    case '/':
      if (c === 0n) return Number.NaN
      return fraction(c < 0n ? -a * d : a * d, b * (c < 0n ? -c : c), () =>
        roughly(asNumber(left), '/', asNumber(right)),
      )
    case '%':
      if (c <= 0n || a < 0n) return Number.NaN
      return fraction((a * d) % (c * b), b * d)
    default:
      return power(left, right)
  }
}

export function negated(value: Calculated): Calculated {
  return typeof value === 'number' ? -value : { over: -value.over, under: value.under }
}

export function squareRoot(value: Calculated): Calculated {
  if (typeof value !== 'number' && value.over >= 0n) {
    const over = wholeRoot(value.over)
    const under = wholeRoot(value.under)
    if (over !== undefined && under !== undefined) return fraction(over, under)
  }
  return Math.sqrt(asNumber(value))
}

/** `NaN` or near the value, which a number cannot always hold. */
export function asNumber(value: Calculated): number {
  return typeof value === 'number' ? value : Number(value.over) / Number(value.under)
}

/** Whether a number holds the value to the last digit of a whole number, or as near as numbers come. */
export function fitsNumber(value: Calculated): boolean {
  const near = asNumber(value)
  return Number.isFinite(near) && Math.abs(near) <= Number.MAX_SAFE_INTEGER
}

/**
 * The value as a person writes it: exactly, with at most 30 decimals, or `about` and twelve digits;
 * `undefined` for a value that is none.
 */
export function written(value: Calculated): { readonly digits: string; readonly exact: boolean } | undefined {
  const near = asNumber(value)
  if (!Number.isFinite(near)) return undefined
  const about = { digits: String(Number(near.toPrecision(12))), exact: false }
  if (typeof value === 'number') return about
  const { over, under } = value
  if (under === 1n) return { digits: String(over), exact: true }
  let decimals = 0
  let scale = 1n
  while (scale % under !== 0n && decimals < 30) {
    decimals++
    scale *= 10n
  }
  if (scale % under !== 0n) return about
  const digits = String((over < 0n ? -over : over) * (scale / under)).padStart(decimals + 1, '0')
  return {
    digits: `${over < 0n ? '-' : ''}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`,
    exact: true,
  }
}

function power(base: Fraction, exponent: Fraction): Calculated {
  const rough = () => roughly(asNumber(base), '^', asNumber(exponent))
  if (exponent.under !== 1n) return rough()
  if (base.over === 0n && exponent.over < 0n) return Number.NaN
  const times = exponent.over < 0n ? -exponent.over : exponent.over
  const [over, under] = exponent.over < 0n ? [base.under, base.over] : [base.over, base.under]
  const small = (side: bigint) => side >= -1n && side <= 1n
  // -1, 0 and 1 stay small, whatever the exponent is.
  const steps = small(over) && small(under) ? times % 2n || (times === 0n ? 0n : 2n) : times
  if (steps > 4_000n || bits(over) * Number(steps) > 4_000 || bits(under) * Number(steps) > 4_000)
    return rough()
  const [top, bottom] = [over ** steps, under ** steps]
  return bottom < 0n ? fraction(-top, -bottom, rough) : fraction(top, bottom, rough)
}

function roughly(left: number, operator: string, right: number): number {
  if (Number.isNaN(left) || Number.isNaN(right)) return Number.NaN
  if (operator === '+' || operator === '-') {
    const value = operator === '+' ? left + right : left - right
    // What is left of two nearly equal numbers is mostly their errors.
    const lost = Math.abs(value) < 1e-3 * Math.max(Math.abs(left), Math.abs(right))
    return lost || !Number.isFinite(value) ? Number.NaN : value
  }
  if (operator === '%') return Number.NaN
  const value = operator === '*' ? left * right : operator === '/' ? left / right : left ** right
  return Number.isFinite(value) && (value !== 0 || left === 0) ? value : Number.NaN
}

/** In lowest terms; `rough` (default: `NaN`) where it is too large to be kept. */
function fraction(over: bigint, under: bigint, rough: () => number = () => Number.NaN): Calculated {
  let [a, b] = [over < 0n ? -over : over, under]
  while (b !== 0n) [a, b] = [b, a % b]
  const lowest = a === 0n ? { over, under } : { over: over / a, under: under / a }
  return bits(lowest.over) > mostBits || bits(lowest.under) > mostBits ? rough() : lowest
}

function bits(value: bigint): number {
  return 4 * value.toString(16).replace('-', '').length
}

/** The root of a square; `undefined` for any other number. Newton's method. */
function wholeRoot(square: bigint): bigint | undefined {
  if (square < 2n) return square
  let root = 1n << BigInt(Math.ceil(bits(square) / 2))
  for (;;) {
    const next = (root + square / root) >> 1n
    if (next >= root) return root * root === square ? root : undefined
    root = next
  }
}
