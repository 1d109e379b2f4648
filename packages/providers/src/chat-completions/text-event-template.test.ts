import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ChunkReader } from './chunk-reader.ts'
import { TextEventTemplate } from './text-event-template.ts'

const head =
  '{"id":"c","object":"chat.completion.chunk","service_tier":"default","system_fingerprint":"fp","choices":['
const event = (content: string, padding?: string) =>
  `${head}{"index":0,"delta":{"content":${content}},"logprobs":null,"finish_reason":null}],"usage":null` +
  `${padding === undefined ? '' : `,"obfuscation":${padding}`}}`

function formOf(data: string): TextEventTemplate {
  const form = new TextEventTemplate()
  const value: unknown = JSON.parse(data)
  const chunk = new ChunkReader(1).read(value, 'message')
  if (chunk !== undefined) form.learn(data, value, chunk)
  return form
}

const made = (content: string) => ({
  choices: [{ index: 0, delta: { content } }],
  service_tier: 'default',
  system_fingerprint: 'fp',
})

describe('TextEventTemplate', () => {
  it('reads what differs in its text and its padding', () => {
    expect(formOf(event('"a"')).read(event('" word é😀"'))).toEqual(made(' word é😀'))
    expect(formOf(event('"a"', '"x"')).read(event('"b"', '"abc"'))).toEqual(made('b'))
    expect(formOf(event('"a"', '""')).read(event('"b"', '"abc"'))).toEqual(made('b'))
  })

  it.each([
    ['no text', event('""')],
    ['no string', event('null')],
    ['an escape', event('"\\n"')],
    ['what is no JSON', event('"\n"')],
    ['further members', event('"b","refusal":"c"')],
    ['something behind it', `${event('"b"')} `],
    ['padding where there was none', event('"b"', '"c"')],
    ['a text that has not ended', event('"b"').slice(0, -90)],
  ])('does not read %s', (_, data) => {
    expect(formOf(event('"a"')).read(data)).toBeUndefined()
  })

  it.each([
    ['the text stands twice', event('"a"').replace('"delta":{', '"delta":{"role":"a",')],
    ['a comma is also JSON', event('","').replace('"delta":{', '"delta":{"role":"a","x":"b",')],
    ['a later member counts', event('"a","content":"a"')],
    [
      'it is an escaped name',
      event('"a"').replace('"content"', '"c\\u006fntent"').replace('"delta":{', '"delta":{"x":"a",'),
    ],
    ['it is a message', event('"a"').replace('"delta"', '"message"')],
    ['a reason to end', event('"a"').replace('"finish_reason":null', '"finish_reason":"stop"')],
    ['the padding is a name', event('"a"', '"obfuscation"')],
  ])('takes no form where it cannot be told from others: %s', (_, data) => {
    expect(formOf(data).read(data.replaceAll('"a"', '"b"').replace('","}', '"b"}'))).toBeUndefined()
  })

  it('looks for a form three times', () => {
    const form = new TextEventTemplate()
    for (const name of ['a', 'b', 'c', 'd']) {
      const data = event('"text"').replace('"id":"c"', `"id":"${name}"`)
      const value: unknown = JSON.parse(data)
      form.learn(data, value, new ChunkReader(1).read(value, 'message')!)
      expect(form.read(data) !== undefined).toBe(name !== 'd')
    }
  })

  it('makes of any events what their reader makes of them', () => {
    const word = fc.oneof(
      fc.constantFrom('a', ' the', ',', ':', 'content', 'delta', '}', 'é', '"', '\\', '\n', ''),
      fc.string(),
    )
    const member = fc.oneof(
      word.map(text => `"content":${JSON.stringify(text)}`),
      word.map(text => `"content": ${JSON.stringify(text)}`),
      word.map(text => `"c\\u006fntent":${JSON.stringify(text)}`),
      fc
        .tuple(fc.constantFrom('role', 'refusal', 'x', 'reasoning'), word)
        .map(([name, text]) => `"${name}":${JSON.stringify(text)}`),
    )
    const members = fc.oneof(
      { weight: 4, arbitrary: fc.tuple(word.map(text => `"content":${JSON.stringify(text)}`)) },
      fc.array(member, { maxLength: 4 }),
    )
    const padding = fc.oneof(
      fc.constant(''),
      word.map(text => `,"obfuscation":${JSON.stringify(text)}`),
    )
    const rest = fc.constantFrom(
      '',
      ',"finish_reason":null',
      ',"finish_reason":"stop"',
      ',"logprobs":{"content":[]}',
    )
    const place = fc.constantFrom('delta', 'delta', 'delta', 'message')
    const data = fc
      .tuple(fc.constantFrom(0, 0, 0, 1), place, members, rest, padding)
      .map(
        ([index, where, list, more, pad]) =>
          `{"choices":[{"index":${index},"${where}":{${list.join(',')}}${more}}]${pad}}`,
      )
    fc.assert(
      fc.property(fc.array(data, { maxLength: 12 }), events => {
        const reader = new ChunkReader(2)
        const other = new ChunkReader(2)
        const form = new TextEventTemplate()
        for (const one of events) {
          const value: unknown = JSON.parse(one)
          const expected = other.read(value, 'message')
          let chunk = form.read(one)
          if (chunk === undefined) {
            chunk = reader.read(value, 'message')
            if (chunk !== undefined) form.learn(one, value, chunk)
          }
          expect(chunk).toEqual(expected)
        }
        expect(reader.progress).toBe(other.progress)
      }),
      { numRuns: 3_000 },
    )
  })
})
