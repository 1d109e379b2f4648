import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { replaceMember, stringMember } from './replace-member.ts'

describe('replaceMember', () => {
  it.each([
    ['{"model":"a"}', '{"model":"b"}'],
    [
      '{ "id" : 1 , "model" : "a" , "x":[1, {"model":"c"}] }',
      '{ "id" : 1 , "model" : "b" , "x":[1, {"model":"c"}] }',
    ],
    ['{"message":{"model":"a"},"model":null}', '{"message":{"model":"a"},"model":"b"}'],
    ['{"text":"\\"model\\":\\"a\\"\\\\","model":"a"}', '{"text":"\\"model\\":\\"a\\"\\\\","model":"b"}'],
    ['{"m\\u006fdel":"a"}', '{"m\\u006fdel":"b"}'],
    ['{"model":"a","model":"c"}', '{"model":"a","model":"b"}'],
    ['{"n":1e400,"big":175928847299117063,"model":"a"}', '{"n":1e400,"big":175928847299117063,"model":"b"}'],
  ])('%s', (given, expected) => {
    expect(replaceMember(given, ['model'], 'b')).toBe(expected)
  })

  it.each([
    '',
    '[]',
    '"model"',
    '{"id":1}',
    '{"model":',
    '{"model":"a',
    '{"model" "a"}',
    '{"a":{"model":"a"}}',
    'model',
  ])('leaves %j unchanged', text => {
    expect(replaceMember(text, ['model'], 'b')).toBe(text)
  })

  it('replaces a member of an object within, of any depth and of no array', () => {
    expect(replaceMember('{"a":{"b":{"c":1}}}', ['a', 'b', 'c'], { d: 2 })).toBe('{"a":{"b":{"c":{"d":2}}}}')
    expect(replaceMember('{"a":[{"b":1}]}', ['a', 'b'], 2)).toBe('{"a":[{"b":1}]}')
  })

  it('changes nothing but the member of any JSON', () => {
    const spaces = fc.constantFrom(undefined, 0, 2)
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.string(), spaces, (object, value, space) => {
        const text = JSON.stringify({ ...object, model: 'a' }, null, space)
        expect(JSON.parse(replaceMember(text, ['model'], value))).toEqual(
          JSON.parse(JSON.stringify({ ...object, model: value })),
        )
      }),
    )
  })

  it('never throws', () => {
    const pieces = fc.array(
      fc.constantFrom('{', '}', '[', ']', '"', '\\', ':', ',', 'model', ' ', '1', 'null'),
    )
    fc.assert(
      fc.property(pieces, texts => {
        expect(typeof replaceMember(texts.join(''), ['model'], 'b')).toBe('string')
      }),
    )
  })
})

describe('stringMember', () => {
  it('is the text of a member that is a string', () => {
    expect(stringMember('{"type":"message_start"}', ['type'])).toBe('message_start')
    expect(stringMember('{"error":{"type":"a\\u0062"}}', ['error', 'type'])).toBe('ab')
    for (const text of ['{"type":1}', '{}', '{"type":"\\x"}', 'x']) {
      expect(stringMember(text, ['type'])).toBeUndefined()
    }
  })
})
