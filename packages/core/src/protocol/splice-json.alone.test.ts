import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { BodyEdit, JsonObject, JsonValue } from '../provider.ts'
import { spliceJson } from '../provider.ts'

const set = (path: BodyEdit['path'], value: JsonValue): BodyEdit => ({ path, value })
const remove = (...path: BodyEdit['path']): BodyEdit => ({ path, value: undefined })

describe('spliceJson', () => {
  it.each<[string, string, readonly BodyEdit[], string]>([
    ['nothing', ' {"a" :1} ', [], ' {"a" :1} '],
    ['a replaced member', '{ "a" : 1 , "b":2}', [set(['a'], 'x')], '{ "a" : "x" , "b":2}'],
    ['a key with an escape', '{"m\\u006fdel":"a"}', [set(['model'], 'b')], '{"m\\u006fdel":"b"}'],
    [
      'a value that looks like a key',
      '{"a":"model","b":{"model":1},"model":2}',
      [set(['model'], 3)],
      '{"a":"model","b":{"model":1},"model":3}',
    ],
    ['an added member', '{"a":1\n}', [set(['b'], null)], '{"a":1,"b":null\n}'],
    ['a member added to an empty object', '{ }', [set(['b'], [])], '{"b":[] }'],
    [
      'missing objects on the way',
      '{"a":1}',
      [set(['b', 'c'], 1), set(['b', 'd'], 2)],
      '{"a":1,"b":{"c":1,"d":2}}',
    ],
    ['a null on the way', '{"a":null,"b":1}', [set(['a', 'c'], 1)], '{"a":{"c":1},"b":1}'],
    ['a text on the way', '{"a":"x"}', [set(['a', 'c'], 1)], '{"a":{"c":1}}'],
    ['a list on the way', '{"a":[1]}', [set(['a', 'c'], 1)], '{"a":{"c":1}}'],
    ['the only member', '{ "a": 1 }', [remove('a')], '{  }'],
    ['the first member', '{ "a": 1, "b": 2 }', [remove('a')], '{ "b": 2 }'],
    ['the last member', '{ "a": 1, "b": 2 }', [remove('b')], '{ "a": 1 }'],
    ['several members', '{"a":1,"b":2,"c":3,"d":4}', [remove('a'), remove('b'), remove('d')], '{"c":3}'],
    ['all members, and one added', '{"a":1, "b":2}', [remove('a'), remove('b'), set(['c'], 3)], '{"c":3}'],
    ['an inner member removed', '{"a":{"b":1,"c":2},"d":3}', [remove('a', 'b')], '{"a":{"c":2},"d":3}'],
    ['a missing member removed', '{"a":1}', [remove('b'), remove('a', 'c'), remove('d', 'e')], '{"a":1}'],
    ['an item replaced', '{"a":[1, {"b":2}]}', [set(['a', 1, 'b'], 3)], '{"a":[1, {"b":3}]}'],
    ['items removed', '{"a":[1, 2,3 ,4]}', [remove('a', 0), remove('a', 2)], '{"a":[2 ,4]}'],
    ['all items removed', '{"a":[1, 2]}', [remove('a', 1), remove('a', 0)], '{"a":[]}'],
    ['an item that is not there', '{"a":[1]}', [remove('a', 1)], '{"a":[1]}'],
    ['a later edit of a member', '{"a":1}', [set(['a'], 2), remove('a'), set(['a'], 3)], '{"a":3}'],
    [
      'a later edit within a set value',
      '{"a":1}',
      [set(['a'], { b: 1, c: [1, 2] }), set(['a', 'b'], 2), remove('a', 'c', 0)],
      '{"a":{"b":2,"c":[2]}}',
    ],
    ['a later edit within a removed value', '{"a":1}', [remove('a'), set(['a', 'b'], 2)], '{"a":{"b":2}}'],
    ['a later edit around another', '{"a":{"b":1}}', [set(['a', 'b'], 2), set(['a'], 3)], '{"a":3}'],
    ['everything', ' {"a":1} ', [set([], { b: 1 })], ' {"b":1} '],
    ['a name of prototypes', '{"a":1}', [set(['__proto__', 'b'], 1)], '{"a":1,"__proto__":{"b":1}}'],
  ])('edits: %s', (_, text, edits, expected) => {
    expect(spliceJson(text, edits)).toBe(expected)
  })

  it('leaves numbers, escapes and white space of all else as they are', () => {
    const rest =
      '"n":1.50e+02, "big": 12345678901234567890 ,"s":"\\u00e9\\/\\ud83d\\ude00\\"\\\\","d":[ 1.0,\n-0 ]'
    expect(spliceJson(`{"model":"a",${rest}}`, [set(['model'], 'b')])).toBe(`{"model":"b",${rest}}`)
    expect(spliceJson(`{${rest} , "model":"a"}`, [remove('model')])).toBe(`{${rest}}`)
  })

  it('throws for an item that is not there and would be set', () => {
    expect(() => spliceJson('{"a":[1]}', [set(['a', 1], 2)])).toThrow(RangeError)
    expect(() => spliceJson('{"a":{}}', [set(['a', 0], 2)])).toThrow(RangeError)
    expect(() => spliceJson('{}', [set(['a', 0], 2)])).toThrow(RangeError)
    expect(() => spliceJson('{}', [set(['a'], []), set(['a', 0], 2)])).toThrow(RangeError)
  })

  it('ends at any text that is no JSON', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'{}[]",:\\ a1') }), text => {
        expect(typeof spliceJson(text, [set(['a', 'b'], 1), remove('c')])).toBe('string')
      }),
    )
  })

  it('does not stop at deep nesting', () => {
    const deep = `${'[{"a":'.repeat(100_000)}1${'}]'.repeat(100_000)}`
    expect(spliceJson(`{"a":${deep},"b":1}`, [set(['b'], 2)])).toBe(`{"a":${deep},"b":2}`)
  })
})

describe('the result of spliceJson', () => {
  // Not a backslash alone: Node 24.21 parses any escaped key as one, once its process has parsed that, as in `{"\\":1}`. So this
  // file has a process of its own, too.
  const name = fc.constantFrom('a', 'b', 'model', 'é', '"', 'z\\', '__proto__', 'constructor', '')
  const { value } = fc.letrec<{ value: JsonValue; object: JsonObject }>(tie => ({
    value: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      fc.oneof(
        fc.string(),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.boolean(),
        fc.constant(null),
      ),
      fc.array(tie('value'), { maxLength: 3 }),
      tie('object'),
    ),
    object: fc
      .array(fc.tuple(name, tie('value')), { maxLength: 5 })
      .map(entries => Object.fromEntries(entries)),
  }))
  const object = fc
    .array(fc.tuple(name, value), { maxLength: 6 })
    .map(entries => Object.fromEntries(entries) as JsonObject)
  const edit = fc.record({
    path: fc.array(name, { minLength: 1, maxLength: 3 }),
    value: fc.option(value, { nil: undefined }),
  })
  /** A JSON text of a value with white space, and some characters as escapes. */
  const written = (body: JsonValue, seed: number): string => {
    let state = seed
    const next = (most: number) => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
      return (state >>> 8) % most
    }
    const space = () => ['', '', ' ', '\n\t'][next(4)]
    return JSON.stringify(body).replace(/"(?:[^"\\]|\\.)*"|[{}[\]:,]/g, token => {
      if (token.length === 1) return `${space()}${token}${space()}`
      return next(3) === 0
        ? token.replace(/[a-z](?=\w*"$)/, first => `\\u00${first.charCodeAt(0).toString(16)}`)
        : token
    })
  }

  it('is the edited value', () => {
    fc.assert(
      fc.property(object, fc.array(edit, { maxLength: 5 }), fc.nat(), (body, given, seed) => {
        const edits = withoutReplaced(given)
        const text = written(body, seed)
        expect(canonical(JSON.parse(text))).toBe(canonical(body))
        const expected = edits.reduce<JsonValue | undefined>(
          (whole, { path, value: to }) => withEdit(whole, path, to),
          body,
        )
        const spliced = spliceJson(text, edits)
        expect(canonical(JSON.parse(spliced))).toBe(canonical(expected))
      }),
      { numRuns: 2_000 },
    )
  })

  it('has all texts of members that are not edited', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(name, value), { maxLength: 6 }),
        edit,
        fc.nat(),
        (entries, given, seed) => {
          const members = [...new Map(entries)].map(
            ([key, member]) => [key, written(member, seed).trim()] as const,
          )
          const text = `{${members.map(([key, member]) => `${JSON.stringify(key)}:${member}`).join(',')}}`
          const spliced = spliceJson(text, [given])
          for (const [key, member] of members) {
            if (key !== given.path[0]) expect(spliced).toContain(`${JSON.stringify(key)}:${member}`)
          }
        },
      ),
      { numRuns: 500 },
    )
  })

  it('has the items that are left, in order', () => {
    fc.assert(
      fc.property(
        fc.array(value, { maxLength: 6 }),
        fc.array(fc.nat(6)),
        fc.nat(),
        (items, removed, seed) => {
          const text = written({ a: items }, seed)
          const left = items.filter((_, index) => !removed.includes(index))
          const spliced = spliceJson(
            text,
            removed.map(index => remove('a', index)),
          )
          expect(canonical(JSON.parse(spliced))).toBe(canonical({ a: left }))
        },
      ),
    )
  })
})

/** Returns the edits of which no later one edits the same place, or one around it. */
function withoutReplaced(edits: readonly BodyEdit[]): readonly BodyEdit[] {
  return edits.filter(({ path }, index) => {
    const later = edits.slice(index + 1)
    return !later.some(other => other.path.every((name, depth) => name === path[depth]))
  })
}

/** Applies an edit to a value, the plain way. */
function withEdit(
  target: JsonValue | undefined,
  path: BodyEdit['path'],
  to: JsonValue | undefined,
): JsonValue | undefined {
  const [name, ...rest] = path
  if (name === undefined) return to
  const isObject = typeof target === 'object' && target !== null && !Array.isArray(target)
  const isSet = to !== undefined
  if (!isObject && !isSet) return target
  const entries = new Map(isObject ? Object.entries(target as JsonObject) : [])
  const member = withEdit(entries.get(name as string), rest, to)
  if (member === undefined) entries.delete(name as string)
  else entries.set(name as string, member)
  return Object.fromEntries(entries) as JsonObject
}

/** JSON with sorted names. */
function canonical(value: JsonValue | undefined): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1))
      : member,
  )
}
