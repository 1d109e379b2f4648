import type { JsonObject, JsonValue } from '@sluice/core'
import { findCalculation } from './arithmetic.ts'
import { isoDate } from './calendar.ts'
import { findEmails, findFields, findNumbers, findUrls } from './extraction.ts'
import { findDates } from './find-dates.ts'
import { quotedIn, readInstruction } from './instruction.ts'

const mostRead = 5_000
const mostListed = 500

/** What a user's text says about the properties of a wanted object. */
export interface Hints {
  /** Values for a property, best first, as its name and schema suggest. */
  valuesOf(name: string, schema: JsonObject): JsonValue[]
  /** Whether the text speaks of a property, by its name or one of its listed values. */
  speaksOf(name: string, schema: JsonObject): boolean
  /** Several values for a list: the numbers or the quoted words of the text. */
  listOf(type: 'number' | 'string'): readonly JsonValue[]
}

/**
 * Reads a text for values: e-mail addresses, links, dates, places, names, numbers, quoted words, fields such
 * as `city: Rome`. `reply` is what would have been answered in words. Numbers and quoted words are handed
 * out in their order, one for each property.
 */
export function readHints(whole: string, now: number, reply: () => string): Hints {
  const text = whole.slice(0, mostRead)
  const lower = ` ${text.toLowerCase().replace(/[^\p{L}\p{N}.+-]+/gu, ' ')} `
  const fields = findFields(text)
  const quoted = quotedIn(text)
  const numbers = findNumbers(text)
  const dates = findDates(text, now).map(date => isoDate(date.ms))
  const places = capitalised(text, 'in|at|for|from|to|near|of|around')
  const names = [
    ...capitalised(
      text,
      "(?:my |the |his |her )?name is|named|called|i am|i'm|with|invite|user|customer|for|to|from|by",
    ),
    ...[...text.matchAll(/(?<=[\p{L},] )\p{Lu}[\p{L}'-]+(?: \p{Lu}[\p{L}'-]+)*/gu)].map(match => match[0]),
  ]
  const taken = { number: new Map<string, number>(), quoted: new Map<string, number>() }

  const inTurn = <T>(values: readonly T[], name: string, turns: Map<string, number>): T[] => {
    if (!turns.has(name)) turns.set(name, turns.size)
    const value = values[turns.get(name) ?? 0]
    return value === undefined ? [] : [value]
  }
  const mentions = (value: JsonValue): boolean =>
    (typeof value === 'string' && value.length > 1 && lower.includes(` ${wordsIn(value)} `)) ||
    (typeof value === 'number' && numbers.includes(value))

  const strings = (name: string, schema: JsonObject): string[] => {
    const about = ` ${wordsIn(name)} `
    const is = (pattern: RegExp) => pattern.test(about)
    if (schema.format === 'email' || is(/ e ?mails? /)) return findEmails(text)
    if (schema.format === 'uri' || is(/ (?:urls?|uri|links?|website|homepage) /)) return findUrls(text)
    if (schema.format === 'date') return dates
    if (schema.format === 'date-time') return dates.map(date => `${date}T00:00:00Z`)
    if (typeof schema.format === 'string') return []
    if (is(/ (?:date|day|when|deadline|birthday) /) && dates.length > 0) return dates
    if (is(/ (?:expression|formula|equation|calculation) /)) return asList(findCalculation(text)?.expression)
    if (is(/ (?:city|location|place|country|town|address|destination|origin|region|state) /)) return places
    if (is(/ (?:answer|reply|response|result|output|final|conclusion|summary|explanation|greeting) /))
      return [reply()]
    const next = inTurn(quoted, name, taken.quoted)
    if (
      is(
        / (?:query|question|q|search|text|message|prompt|input|content|body|sentence|keywords?|topic|subject|title|task|description|note) /,
      )
    ) {
      return [...next, readInstruction(text).subject ?? text.trim(), text.trim()]
    }
    if (is(/ (?:name|person|user|customer|recipient|author|contact|attendee|participants?) /))
      return [...next, ...names]
    return next
  }

  return {
    valuesOf(name, schema) {
      const found: JsonValue[] = []
      if (Array.isArray(schema.enum)) found.push(...schema.enum.slice(0, mostListed).filter(mentions))
      const field = fields.get(wordsIn(name))
      if (field !== undefined) found.push(field, ...asTyped(field))
      const types = Array.isArray(schema.type) ? schema.type : [schema.type]
      if (types.includes('string')) found.push(...strings(name, schema))
      if (types.includes('number') || types.includes('integer')) {
        const value = / (?:answer|result|total|sum|value|output) /.test(` ${wordsIn(name)} `)
          ? findCalculation(text)?.value
          : undefined
        if (value !== undefined && Number.isFinite(value)) found.push(value)
        found.push(...inTurn(numbers, name, taken.number))
      }
      return found
    },
    speaksOf(name, schema) {
      if (Array.isArray(schema.enum) && schema.enum.slice(0, mostListed).some(mentions)) return true
      return fields.has(wordsIn(name)) || lower.includes(` ${wordsIn(name)} `)
    },
    listOf: type => (type === 'number' ? numbers : quoted),
  }
}

/** A name as lower-case words: `userName` and `user_name` become `user name`. */
export function wordsIn(name: string): string {
  return name
    .slice(0, 200)
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .replace(/[^\p{L}\p{N}.+]+/gu, ' ')
    .trim()
    .toLowerCase()
}

function capitalised(text: string, before: string): string[] {
  const pattern = new RegExp(`\\b(?:${before}) (\\p{Lu}[\\p{L}'-]*(?:,? \\p{Lu}[\\p{L}'-]*){0,3})`, 'gu')
  return [...text.matchAll(pattern)].map(match => match[1] ?? '')
}

function asTyped(field: string): JsonValue[] {
  if (/^(?:true|yes)$/i.test(field)) return [true]
  if (/^(?:false|no)$/i.test(field)) return [false]
  return /^-?\d{1,15}(?:\.\d{1,15})?$/.test(field) ? [Number(field)] : []
}

function asList(value: string | undefined): string[] {
  return value === undefined ? [] : [value]
}
