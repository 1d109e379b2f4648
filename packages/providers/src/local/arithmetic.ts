const longestExpression = 500
const deepest = 60

/**
 * Answers a question that is a calculation: `what is 12 * (3 + 4)?`, `15% of 80`, `two plus two`. Knows
 * `+ - * / % ^`, brackets, decimals, `sqrt(...)`. `undefined` where the text asks for no calculation.
 */
export function answerArithmetic(text: string): string | undefined {
  const asked = findCalculation(text)
  if (asked === undefined) return undefined
  if (!Number.isFinite(asked.value)) return `${asked.expression} has no result that I can write down.`
  return `${asked.expression} = ${writeNumber(asked.value)}`
}

/** The calculation that a text asks for, with its value; `NaN` for one without a result. */
export function findCalculation(
  text: string,
): { readonly expression: string; readonly value: number } | undefined {
  if (text.length > 4 * longestExpression) return undefined
  for (const candidate of candidates(text)) {
    if (candidate.length > longestExpression || !/\d/.test(candidate)) continue
    const value = evaluate(candidate)
    if (value !== undefined) return { expression: candidate, value }
  }
  return undefined
}

/**
 * The value of an expression, `NaN` or an infinity where it has none, `undefined` where it is not an
 * expression with at least one operation. Nothing of the text is ever run as code.
 */
function evaluate(expression: string): number | undefined {
  const parts = expression.match(/\d+(?:\.\d+)?|\.\d+|sqrt|[-+*/^%()]|\S/g) ?? []
  let at = 0
  let depth = 0
  let operations = 0

  const sum = (): number => {
    let value = product()
    while (parts[at] === '+' || parts[at] === '-') {
      operations++
      value = parts[at++] === '+' ? value + product() : value - product()
    }
    return value
  }
  const product = (): number => {
    let value = signed()
    while (parts[at] === '*' || parts[at] === '/' || parts[at] === '%') {
      operations++
      const operator = parts[at++]
      const right = signed()
      value = operator === '*' ? value * right : operator === '/' ? value / right : value % right
    }
    return value
  }
  const signed = (): number => {
    if (parts[at] === '-' || parts[at] === '+') {
      if (++depth > deepest) throw new NotReadable()
      const value = parts[at++] === '-' ? -signed() : signed()
      depth--
      return value
    }
    const base = atom()
    if (parts[at] !== '^') return base
    at++
    operations++
    if (++depth > deepest) throw new NotReadable()
    const value = base ** signed()
    depth--
    return value
  }
  const atom = (): number => {
    const part = parts[at++] ?? ''
    if (/^[\d.]/.test(part) && part !== '.') return Number(part)
    const root = part === 'sqrt'
    if (root) operations++
    if ((root ? parts[at++] : part) !== '(' || ++depth > deepest) throw new NotReadable()
    const value = sum()
    depth--
    if (parts[at++] !== ')') throw new NotReadable()
    return root ? Math.sqrt(value) : value
  }

  try {
    const value = sum()
    return at === parts.length && operations > 0 ? value : undefined
  } catch (error) {
    if (error instanceof NotReadable) return undefined
    throw error
  }
}

/** A number as a person writes it: without the last digits in which binary fractions err. */
function writeNumber(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) <= Number.MAX_SAFE_INTEGER)
    return String(value === 0 ? 0 : value)
  return String(Number(value.toPrecision(12)))
}

function candidates(text: string): string[] {
  const plain = inSymbols(text)
  const question = plain
    .replace(
      /^\s*(?:please )?(?:(?:what|how much) (?:is|are)|what's|calculate|compute|evaluate|work out|solve)\b:?/i,
      '',
    )
    .replace(/[\s=?.!]+$/, '')
    .trim()
  // Inside a sentence, `555-1234` or `2024-02-29` is no calculation: there a sign needs spaces or brackets.
  const inside = (plain.match(/[\d.(][\d.\s+*/^%()-]*[\d)]/g) ?? [])
    .map(run => run.trim())
    .filter(run => /[*^(]|\d\s+[-+/%]\s+[\d(]/.test(run))
  return /^\d{4}-\d{2}-\d{2}$|^\d{1,2}\/\d{1,2}\/\d{2,4}$/.test(question) ? [] : [question, ...inside]
}

const words: readonly (readonly [RegExp, string])[] = [
  [/(\d),(?=\d{3}\b)/g, '$1'],
  [/(\d(?:\.\d+)?)\s?(?:%|percent) of\b/gi, '$1 / 100 *'],
  [/\b(?:the )?square root of (\d+(?:\.\d+)?)/gi, 'sqrt($1)'],
  [/\bplus\b/gi, '+'],
  [/\bminus\b/gi, '-'],
  [/\b(?:times|multiplied by)\b/gi, '*'],
  [/\b(?:divided by|over)\b/gi, '/'],
  [/\b(?:to the power of|raised to)\b/gi, '^'],
  [/\b(?:modulo|mod)\b/gi, '%'],
  [/\bsquared\b/gi, '^ 2'],
  [/\bcubed\b/gi, '^ 3'],
  [/\*\*/g, '^'],
  [/[×·]/g, '*'],
  [/÷/g, '/'],
  [/−/g, '-'],
  [/(\d)\s?x\s?(?=\d)/gi, '$1 * '],
]

const numbers = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ')

function inSymbols(text: string): string {
  let plain = text.replace(/\b[a-z]{3,6}\b/gi, word => {
    const value = numbers.indexOf(word.toLowerCase())
    return value < 0 ? word : String(value)
  })
  for (const [pattern, symbol] of words) plain = plain.replace(pattern, symbol)
  return plain
}

class NotReadable extends Error {}
