import type { JsonValue } from './chat.ts'

/** The part of a text that a JSON value takes: from its first character to before `end`. */
interface ValueSpan {
  readonly start: number
  readonly end: number
}

/**
 * Returns a JSON text with another value of one member. Everything else stays as it is written. A text without the member, or
 * one that is no JSON, is returned unchanged.
 *
 * @param path - names of members, from the outside in: `['message', 'model']`. Only objects are entered.
 */
export function replaceMember(text: string, path: readonly string[], value: JsonValue): string {
  const span = memberSpan(text, path)
  if (span === undefined) return text
  return text.slice(0, span.start) + JSON.stringify(value) + text.slice(span.end)
}

/** Returns a member of a JSON text that is a string, or `undefined`. Reads no further than to its end. */
export function stringMember(text: string, path: readonly string[]): string | undefined {
  const span = memberSpan(text, path)
  if (span === undefined || text[span.start] !== '"') return undefined
  try {
    return JSON.parse(text.slice(span.start, span.end)) as string
  } catch {
    return undefined
  }
}

/** Returns where the value of a member is. Where an object has a name twice, it is that of the last one, as parsers have it. */
function memberSpan(text: string, path: readonly string[]): ValueSpan | undefined {
  let span: ValueSpan | undefined = { start: skipSpace(text, 0), end: text.length }
  for (const name of path) {
    span = memberOfObject(text, span.start, name)
    if (span === undefined) return undefined
  }
  return span
}

function memberOfObject(text: string, start: number, name: string): ValueSpan | undefined {
  if (text[start] !== '{') return undefined
  let found: ValueSpan | undefined
  let at = skipSpace(text, start + 1)
  while (text[at] === '"') {
    const keyEnd = stringEnd(text, at)
    if (keyEnd === undefined) return undefined
    const isNamed = keyAt(text, at, keyEnd) === name
    at = skipSpace(text, keyEnd)
    if (text[at] !== ':') return undefined
    const valueStart = skipSpace(text, at + 1)
    const valueEnd = skipValue(text, valueStart)
    if (valueEnd === undefined) return undefined
    if (isNamed) found = { start: valueStart, end: valueEnd }
    at = skipSpace(text, valueEnd)
    if (text[at] !== ',') break
    at = skipSpace(text, at + 1)
  }
  return text[at] === '}' ? found : undefined
}

function keyAt(text: string, start: number, end: number): string | undefined {
  const raw = text.slice(start + 1, end - 1)
  if (!raw.includes('\\')) return raw
  try {
    return JSON.parse(text.slice(start, end)) as string
  } catch {
    return undefined
  }
}

/** Returns the position after a value, whose inner grammar is not checked. */
function skipValue(text: string, start: number): number | undefined {
  const first = text[start]
  if (first === '"') return stringEnd(text, start)
  if (first === '{' || first === '[') return skipContainer(text, start)
  let at = start
  while (at < text.length && !isDelimiter(text.charCodeAt(at))) at++
  return at === start ? undefined : at
}

function skipContainer(text: string, start: number): number | undefined {
  let depth = 0
  for (let at = start; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x22: {
        const end = stringEnd(text, at)
        if (end === undefined) return undefined
        at = end - 1
        break
      }
      case 0x7b:
      case 0x5b:
        depth++
        break
      case 0x7d:
      case 0x5d:
        if (--depth === 0) return at + 1
    }
  }
  return undefined
}

/** Returns the position after the string at `open`. */
function stringEnd(text: string, open: number): number | undefined {
  for (let at = open + 1; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit === 0x22) return at + 1
    if (unit === 0x5c) at++
  }
  return undefined
}

function skipSpace(text: string, start: number): number {
  let at = start
  while (isSpace(text.charCodeAt(at))) at++
  return at
}

function isSpace(unit: number): boolean {
  return unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09
}

function isDelimiter(unit: number): boolean {
  return isSpace(unit) || unit === 0x2c || unit === 0x7d || unit === 0x5d || unit === 0x3a
}
