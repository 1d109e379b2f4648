const question = /^(what(?:'s| is)\b|how much is\b|calculate\b:?|compute\b:?)?\s*([-+*/^().\d\s]*?)[\s?=.]*$/i

/**
 * Answers a text that is a calculation, such as `What is 12 * (3 + 4)?`, with `+ - * / ^` and brackets. Returns
 * `undefined` for any other text, and for a result that a number cannot hold.
 */
export function answerArithmetic(text: string): string | undefined {
  const trimmed = text.trim()
  const [, asked, expression = ''] = (trimmed.length > 200 ? null : question.exec(trimmed)) ?? []
  if (!/[\d)]\s*[-+*/^]/.test(expression)) return undefined
  // A date or a phone number: `2024-05-01`, `555-1234`.
  if (/(?<![\d.])0\d/.test(expression) || (asked === undefined && /\d[-/]\d/.test(expression)))
    return undefined
  const value = evaluate(expression)
  if (Number.isNaN(value)) return undefined
  const decimals = Math.max(0, Math.min(10, 15 - Math.trunc(Math.abs(value)).toString().length))
  const rounded = Number(value.toFixed(decimals))
  const isExact = Math.abs(rounded - value) <= 1e-15 * Math.max(1, Math.abs(value))
  return `${expression} ${isExact ? '=' : 'is about'} ${rounded === 0 ? 0 : rounded}`
}

/** Returns the value of an expression, or `NaN`. The text is parsed, never run. */
function evaluate(expression: string): number {
  const parts = expression.match(/\d+(?:\.\d+)?|\S/g) ?? []
  let at = 0
  const binary = (operators: string, operand: () => number): number => {
    let value = operand()
    while (at < parts.length && operators.includes(parts[at]!))
      value = apply(parts[at++]!, value, operators === '^' ? power() : operand())
    return value
  }
  const sum = () => binary('+-', () => binary('*/', power))
  const power = (): number => {
    if (parts[at] !== '-') return binary('^', atom)
    at++
    return -power()
  }
  const atom = (): number => {
    const part = parts[at++] ?? ''
    if (part !== '(') return /^\d/.test(part) ? apply('+', Number(part), 0) : Number.NaN
    const value = sum()
    return parts[at++] === ')' ? value : Number.NaN
  }
  const value = sum()
  return at === parts.length ? value : Number.NaN
}

/** `NaN` beyond 2^53, where the last digit is lost. */
function apply(operator: string, a: number, b: number): number {
  const factor = operator === '*' ? a * b : operator === '/' ? a / b : a ** b
  const value = operator === '+' ? a + b : operator === '-' ? a - b : factor
  return Math.abs(value) <= Number.MAX_SAFE_INTEGER ? value : Number.NaN
}
