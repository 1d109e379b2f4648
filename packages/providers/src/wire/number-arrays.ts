import { parseJson, stringEnd } from './parse-json.ts'

/** An array of numbers as JSON text, with its brackets. */
export interface NumberArray {
  readonly text: string
  /** How many numbers it has, at least 1. */
  readonly length: number
}

/** The value of a JSON text whose arrays of numbers stay text. */
export interface NumberArrays {
  readonly value: unknown
  /** The array that `member`, a part of `value`, stands for; `undefined` where it stands for none. */
  readonly arrayOf: (member: unknown) => NumberArray | undefined
}

/**
 * Parses JSON, but leaves its arrays of numbers as text: a vector is checked number by number, which takes a fraction of the time
 * that it takes to parse it. An empty array stays an array. Throws as `parseJson` does.
 */
export function parseNumberArrays(text: string): NumberArrays {
  const arrays: NumberArray[] = []
  // Each array of numbers is written as the array of its place in the list: no other array begins with a number and ends there.
  let rest = ''
  let from = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) {
      at = stringEnd(text, at)
      if (at === -1) break
    } else if (code === arrayStart) {
      const array = numberArrayAt(text, at)
      if (array === undefined) continue
      rest += `${text.slice(from, at)}[${arrays.length}]`
      from = at + array.text.length
      at = from - 1
      arrays.push(array)
    }
  }
  const value = parseJson(arrays.length === 0 ? text : rest + text.slice(from))
  return {
    value,
    arrayOf: member =>
      Array.isArray(member) && member.length === 1 && typeof member[0] === 'number'
        ? arrays[member[0]]
        : undefined,
  }
}

const quote = 0x22
const arrayStart = 0x5b
const arrayEnd = 0x5d
const comma = 0x2c

/** The array that begins at `start`; `undefined` unless each of its members is a number, and it has one. */
function numberArrayAt(text: string, start: number): NumberArray | undefined {
  for (let at = start, length = 1; ; length++) {
    at = numberEnd(text, afterSpace(text, at + 1))
    if (at === -1) return undefined
    at = afterSpace(text, at)
    const code = text.charCodeAt(at)
    if (code === arrayEnd) return { text: text.slice(start, at + 1), length }
    if (code !== comma) return undefined
  }
}

function afterSpace(text: string, start: number): number {
  let at = start
  for (; ; at++) {
    const code = text.charCodeAt(at)
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return at
  }
}

/** The place after the JSON number that begins at `start`; -1 where there is none. */
function numberEnd(text: string, start: number): number {
  let at = text.charCodeAt(start) === 0x2d ? start + 1 : start
  if (text.charCodeAt(at) === 0x30) at++
  else {
    at = digitsEnd(text, at)
    if (at === -1) return -1
  }
  if (text.charCodeAt(at) === 0x2e) {
    at = digitsEnd(text, at + 1)
    if (at === -1) return -1
  }
  const code = text.charCodeAt(at)
  if (code !== 0x65 && code !== 0x45) return at
  const sign = text.charCodeAt(at + 1)
  return digitsEnd(text, sign === 0x2b || sign === 0x2d ? at + 2 : at + 1)
}

/** The place after the digits that begin at `start`; -1 where there is none. */
function digitsEnd(text: string, start: number): number {
  let at = start
  for (; ; at++) {
    const code = text.charCodeAt(at)
    // Beyond the end it is NaN, which is neither.
    if (!(code >= 0x30 && code <= 0x39)) return at === start ? -1 : at
  }
}
