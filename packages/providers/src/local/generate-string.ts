import type { JsonObject } from '@sluice/core'
import { readPattern } from './pattern.ts'
import { Unsatisfiable } from './unsatisfiable.ts'
import { writeText } from './write-text.ts'

const longest = 10_000

const samples: Readonly<Record<string, string>> = {
  'date-time': '2024-01-01T00:00:00Z',
  date: '2024-01-01',
  time: '00:00:00Z',
  duration: 'P1D',
  email: 'user@example.com',
  'idn-email': 'user@example.com',
  hostname: 'example.com',
  'idn-hostname': 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uri: 'https://example.com/',
  iri: 'https://example.com/',
  'uri-reference': '/example',
  'iri-reference': '/example',
  url: 'https://example.com/',
  uuid: '00000000-0000-4000-8000-000000000000',
  'json-pointer': '/example',
  'relative-json-pointer': '0',
  regex: '.*',
  byte: 'ZXhhbXBsZQ==',
  base64: 'ZXhhbXBsZQ==',
}

/**
 * Texts that may fit a string schema, most sensible first; the caller checks them. `salt` asks for others,
 * for lists whose items must differ. Throws `Unsatisfiable` above 10,000 characters.
 */
export function* stringsFor(schema: JsonObject, salt: number, path: string): Generator<string> {
  const least = typeof schema.minLength === 'number' ? schema.minLength : 0
  const most = typeof schema.maxLength === 'number' ? schema.maxLength : longest
  if (least > longest) throw new Unsatisfiable(path, `'minLength' asks for more than ${longest} characters`)
  if (typeof schema.pattern === 'string') {
    yield* written(schema.pattern, least, salt, path)
    return
  }
  const sample =
    typeof schema.format === 'string' && Object.hasOwn(samples, schema.format)
      ? samples[schema.format]!
      : undefined
  if (sample !== undefined) {
    yield salt === 0 ? sample : varied(sample, salt)
    return
  }
  const word = salt === 0 ? 'example' : `example ${salt + 1}`
  yield fitted(word, least, most)
  if (salt > 0) yield fitted(salt.toString(36), least, most)
}

function* written(source: string, least: number, salt: number, path: string): Generator<string> {
  const pattern = readPattern(source)
  if (pattern === undefined) {
    throw new Unsatisfiable(
      path,
      `the pattern '${source.slice(0, 100)}' is not one that the local provider can read`,
    )
  }
  for (const extra of new Set([salt === 0 ? 0 : salt, 1, 2, 4, 8, 16, 32, least])) {
    for (const choice of [0, 1, 2, 3]) {
      const text = writeText(pattern, { extra, salt: salt + choice }, longest)
      if (text.length > longest) continue
      yield text
      if (text.length < least) yield text.padEnd(least, 'x')
    }
  }
}

/** Another value of the same format: its last digit or letter is changed. */
function varied(sample: string, salt: number): string {
  if (sample.includes('@')) return `user${salt + 1}${sample.slice(4)}`
  if (sample.startsWith('2024')) return sample.replace('2024', String(2024 + salt))
  if (sample.startsWith('00000000-')) return sample.slice(0, -4) + salt.toString(16).padStart(4, '0')
  if (sample.startsWith('192.')) return `192.0.2.${(salt % 254) + 1}`
  if (sample.startsWith('2001:')) return `2001:db8::${(salt + 1).toString(16)}`
  if (sample.startsWith('https:') || sample.startsWith('/')) return `${sample}${salt + 1}`
  if (sample === 'example.com') return `example${salt + 1}.com`
  if (sample === 'P1D') return `P${salt + 1}D`
  return sample
}

function fitted(word: string, least: number, most: number): string {
  const long =
    word.length < least
      ? word + ` ${word}`.repeat(Math.ceil((least - word.length) / (word.length + 1)))
      : word
  return long.slice(0, Math.max(least, Math.min(most, word.length)))
}
