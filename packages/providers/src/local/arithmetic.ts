import {
  asNumber,
  type Calculated,
  fitsNumber,
  literal,
  negated,
  operate,
  squareRoot,
  written,
} from './calculated.ts'

const longestExpression = 500
const deepest = 60

/**
 * Answers a question that is a calculation: `what is 12 * (3 + 4)?`, `15% of 80`, `two plus two`. Knows
 * `+ - * / % ^`, brackets, decimals, `sqrt(...)`. Fractions are exact, and what is not says `about`.
 * `undefined` where the text asks for no calculation, or for one that can be read in two ways.
 */
export function answerArithmetic(text: string): string | undefined {
  const asked = findCalculation(text)
  if (asked === undefined) return undefined
  const result = written(asked.result)
  if (result === undefined) return `${asked.expression} has no result that I can write down.`
  return `${asked.expression} ${result.exact ? '=' : 'is about'} ${result.digits}`
}

/** The calculation that a text asks for. `value` is left out where a number cannot hold the result. */
export function findCalculation(
  text: string,
): { readonly expression: string; readonly result: Calculated; readonly value?: number } | undefined {
  if (text.length > 4 * longestExpression) return undefined
  for (const expression of candidates(text)) {
    if (expression.length > longestExpression || !/\d/.test(expression)) continue
    const result = evaluate(expression)
    if (result === undefined) continue
    return fitsNumber(result) ? { expression, result, value: asNumber(result) } : { expression, result }
  }
  return undefined
}

/**
 * The value of an expression, `NaN` where it has none, `undefined` where it is not an expression with at
 * least one operation. Nothing of the text is ever run as code.
 */
function evaluate(expression: string): Calculated | undefined {
  const parts = expression.match(/(?:\d+(?:\.\d+)?|\.\d+)(?:e[+-]?\d+)?|sqrt|[-+*/^%()]|\S/gi) ?? []
  let at = 0
  let depth = 0
  let operations = 0

  const sum = (): Calculated => {
    let value = product()
    while (parts[at] === '+' || parts[at] === '-') {
      operations++
      value = operate(value, parts[at++] ?? '', product())
    }
    return value
  }
  const product = (): Calculated => {
    let value = signed()
    while (parts[at] === '*' || parts[at] === '/' || parts[at] === '%') {
      operations++
      const operator = parts[at++] ?? ''
      const right = signed()
      // Of the rest of what is below zero, people and languages disagree.
      if (operator === '%' && (asNumber(value) < 0 || asNumber(right) < 0)) throw new NotReadable()
      value = operate(value, operator, right)
    }
    return value
  }
  const signed = (): Calculated => {
    if (parts[at] === '-' || parts[at] === '+') {
      if (++depth > deepest) throw new NotReadable()
      const value = parts[at++] === '-' ? negated(signed()) : signed()
      depth--
      return value
    }
    const base = atom()
    if (parts[at] !== '^') return base
    at++
    operations++
    if (++depth > deepest) throw new NotReadable()
    const value = operate(base, '^', signed())
    depth--
    return value
  }
  const atom = (): Calculated => {
    const part = parts[at++] ?? ''
    if (/^[\d.]/.test(part) && part !== '.') return literal(part)
    const root = part.toLowerCase() === 'sqrt'
    if (root) operations++
    if ((root ? parts[at++] : part) !== '(' || ++depth > deepest) throw new NotReadable()
    const value = sum()
    depth--
    if (parts[at++] !== ')') throw new NotReadable()
    return root ? squareRoot(value) : value
  }

  try {
    const value = sum()
    return at === parts.length && operations > 0 ? value : undefined
  } catch (error) {
    if (error instanceof NotReadable) return undefined
    throw error
  }
}

function candidates(text: string): string[] {
  // `0x10`, a share of a share or a divisor that is one: there is more to them than is read here.
  if (/\b0[xbo][\da-f]/i.test(text) || /[/^÷%]\s*\d+(?:\.\d+)?\s?(?:%|percent) of\b/i.test(text)) return []
  // The square of -5, or that of 5 below zero.
  if (/(?:^|[^\d\s)])\s*-\s?\d+(?:\.\d+)? (?:squared|cubed)\b/i.test(text)) return []
  const plain = inSymbols(text)
  const question = plain
    .replace(
      /^\s*(?:please )?(?:(?:what|how much) (?:is|are)|what's|calculate|compute|evaluate|work out|solve)\b:?/i,
      '',
    )
    .replace(/[\s=?.]+$/, '')
    .trim()
  // Inside a sentence, `555-1234` is no calculation: there a sign needs spaces or brackets.
  const inside: string[] = []
  for (const { 0: run, index } of plain.matchAll(
    /(?:(?<!\S)-)?(?:sqrt ?\(|[\d.(])(?:[\d.\s+*/^%()-]|(?<=\d)e[+-]?\d|sqrt ?\()*[\d)]/gi,
  )) {
    if (!/[*^(]|\d\s+[-+/%]\s+[\d(]/.test(run)) continue
    // `it takes 3 - 5 days`
    if (/^[\d.]+\s+-\s+[\d.]+$/.test(run) && !asksForIt.test(text)) continue
    if (before.test(plain.slice(0, index)) || after.test(plain.slice(index + run.length))) continue
    inside.push(run)
  }
  return [question, ...inside].filter(candidate => !misleading.some(sign => sign.test(candidate)))
}

const asksForIt = /\?|\b(?:what|calculate|compute|evaluate|solve|how much|tell|please|result)\b/i

/** What in a run of figures and signs is none of a calculation's: dates, and `%` for a share. */
const misleading: readonly RegExp[] = [
  /(?<!\d)\d{4}-\d{2}-\d{2}(?!\d)/,
  /(?<!\d)\d{1,2}\/\d{1,2}\/\d{2,4}(?!\d)/,
  /[\d)]\s*%\s*(?:[-+*/^%)]|$)|\d%\s/,
]

/** What before a run makes it a part of something larger: `12:30 + 1`, `x - 3 * 4`, `thirty two + 1`. */
const before =
  /[^\s"'`“‘([{=]$|[-+*/^%<>]\s*$|\d\s*$|(?<![\p{L}\p{N}])[b-hj-z]\s*$|\b(?:(?:cube )?root|logarithm|log|ln|sin|sine|cos|cosine|tan|tangent|factorial|half|third|quarter|average|mean|median|absolute value)(?: of)?\s*$|\b(?:double|twice|triple|negative|point|hundred|thousand|million|billion|dozen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty|(?:thir|four|fif|six|seven|eigh|nine)teen)(?: and)?\s*$/iu

/** What behind a run makes it a part of something larger: `3 + 4x`, `1 + 3,5`, `200 + 10%`, `3 * 5 million`. */
const after =
  /^[\p{L}\p{N}_!°$€£]|^[,:.][\p{L}\p{N}]|^\s*[-+*/^%]|^\s*[b-hj-z](?![\p{L}\p{N}'’])|^\s*(?:hundred|thousand|million|billion|trillion|dozen|percent|per ?cent|pi|π|point|factorial|of|and a)(?!\p{L})/iu

const words: readonly (readonly [RegExp, string])[] = [
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
  // `1,000` and `12,345.6`, not `3,5`, `0,125` or `1.234,567`.
  plain = plain.replace(/(?<![\d.,])[1-9]\d{0,2}(?:,\d{3})+(?!\d|,\d)/g, grouped =>
    grouped.replaceAll(',', ''),
  )
  for (const [pattern, symbol] of words) plain = plain.replace(pattern, symbol)
  return plain
}

class NotReadable extends Error {}
