import { isUtf8 } from 'node:buffer'
import type { JsonLimits } from '@sluice/core'

/** What a body is, by the long way round. */
export interface ReferenceReading {
  /** Whether `JSON.parse` takes it; `value` is what it makes of it. */
  readonly isJson: boolean
  readonly value?: unknown
  /** Why it has to be refused although it is JSON. */
  readonly faults: ReadonlySet<Fault>
  /** Whether it holds a whole number that a double cannot hold apart from its neighbours, however it is written. */
  readonly hasLargeNumber: boolean
}

export type Fault = 'deep' | 'many' | 'crowded' | 'duplicate' | 'surrogate' | 'integer' | 'infinite' | 'long'

const surrogate = /\p{Surrogate}/u
const token = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|[a-z]+|[[\]{},:]/g

/** Reads a body without haste: `JSON.parse` for the grammar, then each token of it for what is refused beside. */
export function referenceJson(bytes: Uint8Array, limits: JsonLimits): ReferenceReading {
  const none = { isJson: false, faults: new Set<Fault>(), hasLargeNumber: false }
  if (!isUtf8(bytes)) return none
  const text = Buffer.from(bytes)
    .toString('utf8')
    .replace(/^\ufeff/, '')
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return none
  }
  return { isJson: true, value, ...faultsOf(text, limits) }
}

function faultsOf(text: string, { maxDepth, maxElements, maxMembers }: JsonLimits) {
  const faults = new Set<Fault>()
  const open: (Set<string> | undefined)[] = []
  let hasLargeNumber = false
  let elements = 0
  let keyNext = false
  for (const [word] of text.matchAll(token)) {
    const first = word[0] ?? ''
    if (first === '"') {
      const string = JSON.parse(word) as string
      if (surrogate.test(string)) faults.add('surrogate')
      const keys = open.at(-1)
      if (keyNext && keys !== undefined) {
        if (keys.has(string)) faults.add('duplicate')
        keys.add(string)
        if (keys.size > maxMembers) faults.add('crowded')
      } else elements++
      keyNext = false
    } else if (first === ',') keyNext = open.at(-1) !== undefined
    else if (first === '{' || first === '[') {
      elements++
      open.push(first === '{' ? new Set() : undefined)
      keyNext = first === '{'
      if (open.length > maxDepth) faults.add('deep')
    } else if (first === '}' || first === ']') {
      open.pop()
      keyNext = false
    } else if (first !== ':') {
      elements++
      const fault = first === '-' || /\d/.test(first) ? numberFault(word) : undefined
      if (fault !== undefined) faults.add(fault)
      hasLargeNumber ||= Number.isInteger(Number(word)) && !Number.isSafeInteger(Number(word))
    }
  }
  if (elements > maxElements) faults.add('many')
  return { faults, hasLargeNumber }
}

function numberFault(word: string): Fault | undefined {
  if (/^-?\d+$/.test(word)) {
    const whole = BigInt(word)
    return whole > BigInt(Number.MAX_SAFE_INTEGER) || whole < -BigInt(Number.MAX_SAFE_INTEGER)
      ? 'integer'
      : undefined
  }
  if (!Number.isFinite(Number(word))) return 'infinite'
  return word.length > 100 ? 'long' : undefined
}
