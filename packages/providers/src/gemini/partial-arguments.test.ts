import { UpstreamError } from '@sluice/core/provider'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { PartialArguments } from './partial-arguments.ts'

/** The pieces that a value would come in: of each text two. */
function* piecesOf(value: unknown, path: string): Generator<Record<string, unknown>> {
  if (typeof value === 'string') {
    const middle = value.length >> 1
    yield { jsonPath: path, stringValue: value.slice(0, middle), willContinue: true }
    yield { jsonPath: path, stringValue: value.slice(middle) }
  } else if (typeof value === 'number') yield { jsonPath: path, numberValue: value }
  else if (typeof value === 'boolean') yield { jsonPath: path, boolValue: value }
  else if (value === null) yield { jsonPath: path, nullValue: 'NULL_VALUE' }
  else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* piecesOf(item, `${path}[${index}]`)
  } else {
    for (const [key, item] of Object.entries(value as object)) {
      const step = /^\w+$/.test(key) ? `.${key}` : `['${key.replace(/['\\]/g, '\\$&')}']`
      yield* piecesOf(item, `${path}${step}`)
    }
  }
}

it('is the value that the pieces were made of', () => {
  const { value } = fc.letrec(tie => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.string(),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('value'), { minLength: 1, maxLength: 3 }),
      tie('object'),
    ),
    object: fc.dictionary(fc.string(), tie('value'), { minKeys: 1, maxKeys: 3 }),
  }))
  fc.assert(
    fc.property(fc.dictionary(fc.string(), value, { maxKeys: 4 }), whole => {
      const args = new PartialArguments()
      for (const piece of piecesOf(whole, '$')) args.add([piece])
      expect(JSON.parse(args.text())).toEqual(JSON.parse(JSON.stringify(whole)))
    }),
  )
})

it('has no way to reach anything else', () => {
  const args = new PartialArguments()
  args.add([
    { jsonPath: '$.__proto__.polluted', stringValue: 'yes' },
    { jsonPath: '$.constructor.prototype.polluted', stringValue: 'yes' },
  ])
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  expect(args.text()).toBe('{"__proto__":{"polluted":"yes"},"constructor":{"prototype":{"polluted":"yes"}}}')
})

it('goes on with a text only where the piece before it said so, and only with text', () => {
  const args = new PartialArguments()
  args.add([
    { jsonPath: '$.a', stringValue: 'x' },
    { jsonPath: '$.a', stringValue: 'y' },
    { jsonPath: '$.b', stringValue: 'x', willContinue: true },
    { jsonPath: '$.b', numberValue: 1 },
    { jsonPath: '$.c', nullValue: 'NULL_VALUE' },
    { jsonPath: '$.c.d', boolValue: true },
  ])
  expect(args.text()).toBe('{"a":"y","b":1,"c":{"d":true}}')
})

it('takes long lists, and 512 levels', () => {
  const args = new PartialArguments()
  args.add(Array.from({ length: 3_000 }, (_, at) => ({ jsonPath: `$.a[${at}]`, numberValue: at })))
  args.add([{ jsonPath: `$.b${'[0]'.repeat(511)}`, numberValue: 1 }])
  const { a } = JSON.parse(args.text()) as { a: number[] }
  expect(a).toHaveLength(3_000)
})

it.each([
  ['without end', [{ jsonPath: '$.a', stringValue: 'x'.repeat(9_000_000) }]],
  ['full of holes', [{ jsonPath: '$.a[2000000]', numberValue: 1 }]],
  ['too deep', [{ jsonPath: `$.a${'[0]'.repeat(512)}`, numberValue: 1 }]],
  ['at a path with another root', [{ jsonPath: 'x.a', numberValue: 1 }]],
  [
    'that do not fit together',
    [
      { jsonPath: '$.a[0]', numberValue: 1 },
      { jsonPath: '$.a.b', numberValue: 1 },
    ],
  ],
  ['in a list at the root', [{ jsonPath: '$[0]', numberValue: 1 }]],
])('refuses pieces %s', (_what, pieces) => {
  const add = () => new PartialArguments().add(pieces)
  expect(add).toThrow(UpstreamError)
  expect(add).toThrow(expect.objectContaining({ kind: 'garbled' }))
})
