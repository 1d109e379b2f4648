import { describe, expect, it } from 'vitest'
import type { PartialToolCall } from '../contracts/provider.ts'
import { completeToolCalls, ToolCalls } from './tool-calls.ts'

let count = 0
const newId = () => `${++count}x`.padEnd(32, '0')

function pushed(...reads: PartialToolCall[][]) {
  const calls = new ToolCalls(newId)
  return [...reads.flatMap(pieces => calls.push(pieces)), ...calls.close()]
}

describe('ToolCalls', () => {
  it('opens a call with index, id, type and name, and continues it with arguments only', () => {
    expect(
      pushed(
        [{ index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: '' } }],
        [{ index: 0, function: { arguments: '{"x":' } }],
        [{ index: 0, function: { arguments: '1}' } }],
      ),
    ).toEqual([
      { index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: '' } },
      { index: 0, function: { arguments: '{"x":' } },
      { index: 0, function: { arguments: '1}' } },
    ])
  })

  it('opens a new call for a new id at the same index', () => {
    const deltas = pushed([
      { index: 0, id: 'a', function: { name: 'f', arguments: '{}' } },
      { index: 0, id: 'b', function: { name: 'g', arguments: '{}' } },
    ])
    expect(deltas.map(({ index, id, function: call }) => [index, id, call?.arguments])).toEqual([
      [0, 'a', ''],
      [0, undefined, '{}'],
      [1, 'b', ''],
      [1, undefined, '{}'],
    ])
  })

  it('continues a call whose later pieces carry an empty id', () => {
    const deltas = pushed(
      [{ index: 0, id: 'a', function: { name: 'f', arguments: '' } }],
      [{ index: 0, id: '', function: { arguments: '{}' } }],
    )
    expect(deltas).toHaveLength(2)
    expect(deltas[1]).toEqual({ index: 0, function: { arguments: '{}' } })
  })

  it('numbers calls from 0 where the vendor begins at 1', () => {
    const deltas = pushed([{ index: 1, id: 'a', function: { name: 'f', arguments: '{}' } }])
    expect(deltas[0]?.index).toBe(0)
  })

  it('takes whole calls without an index as calls of their own, and makes ids', () => {
    const deltas = pushed([
      { function: { name: 'f', arguments: '{}' } },
      { function: { name: 'f', arguments: '{}' } },
    ])
    const openers = deltas.filter(({ type }) => type !== undefined)
    expect(openers.map(({ index }) => index)).toEqual([0, 1])
    expect(new Set(openers.map(({ id }) => id)).size).toBe(2)
    expect(deltas[0]?.id).toMatch(/^call_/)
  })

  it('continues the last call where a piece has neither index nor id nor name', () => {
    const deltas = pushed([{ id: 'a', function: { name: 'f' } }], [{ function: { arguments: '{"a":1}' } }])
    expect(deltas).toEqual([
      { index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: '' } },
      { index: 0, function: { arguments: '{"a":1}' } },
    ])
  })

  it('gives a call without arguments the empty object', () => {
    expect(pushed([{ index: 0, id: 'a', function: { name: 'f' } }])).toEqual([
      { index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: '' } },
      { index: 0, function: { arguments: '{}' } },
    ])
  })

  it('brings calls that come interleaved one after the other', () => {
    const deltas = pushed([
      { index: 0, id: 'a', function: { name: 'f' } },
      { index: 1, id: 'b', function: { name: 'g' } },
      { index: 0, function: { arguments: '1' } },
      { index: 1, function: { arguments: '2' } },
    ])
    expect(deltas).toEqual([
      { index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: '' } },
      { index: 0, function: { arguments: '1' } },
      { index: 1, id: 'b', type: 'function', function: { name: 'g', arguments: '' } },
      { index: 1, function: { arguments: '2' } },
    ])
  })

  it('ends a call without arguments before the next one opens', () => {
    const deltas = pushed([
      { index: 0, id: 'a', function: { name: 'f' } },
      { index: 1, id: 'b', function: { name: 'g' } },
    ])
    expect(deltas.map(({ index, id, function: call }) => [index, id, call?.arguments])).toEqual([
      [0, 'a', ''],
      [0, undefined, '{}'],
      [1, 'b', ''],
      [1, undefined, '{}'],
    ])
  })

  it('keeps no more back than it can hold, and opens no more calls than clients take', () => {
    const calls = new ToolCalls(newId)
    calls.push([
      { index: 0, id: 'a', function: { name: 'f' } },
      { index: 1, id: 'b', function: { name: 'g' } },
    ])
    const text = 'x'.repeat(1_048_576)
    const flood = () => {
      for (let i = 0; i < 9; i++) calls.push([{ index: 1, function: { arguments: text } }])
    }
    expect(flood).toThrow(/too much of a tool call/)
    const many = Array.from({ length: 129 }, (_, index) => ({
      index,
      id: `c${index}`,
      function: { name: 'f' },
    }))
    expect(() => new ToolCalls(newId).push(many)).toThrow(/more than 128 tools/)
  })

  it('takes the id that comes after an empty one, and a name that comes late', () => {
    const deltas = pushed(
      [{ index: 0, id: '', function: { name: 'f', arguments: '' } }],
      [{ index: 0, id: 'late', function: { arguments: '' } }],
      [{ index: 0, function: { arguments: '{}' } }],
      [{ index: 1, id: 'b' }],
      [{ index: 1, function: { name: 'g', arguments: '[]' } }],
    )
    expect(deltas).toEqual([
      { index: 0, id: 'late', type: 'function', function: { name: 'f', arguments: '' } },
      { index: 0, function: { arguments: '{}' } },
      { index: 1, id: 'b', type: 'function', function: { name: 'g', arguments: '' } },
      { index: 1, function: { arguments: '[]' } },
    ])
  })

  it('keeps the id that it had to make where the vendor gives one after the first arguments', () => {
    const deltas = pushed(
      [{ index: 0, function: { name: 'f', arguments: '{' } }],
      [{ index: 0, id: 'late', function: { arguments: '}' } }],
      [{ id: 'late', function: { arguments: ' ' } }],
    )
    expect(deltas.map(({ id, function: call }) => [id, call?.arguments])).toEqual([
      [expect.stringMatching(/^call_/), ''],
      [undefined, '{'],
      [undefined, '}'],
      [undefined, ' '],
    ])
  })

  it('opens a call that never got an id or arguments', () => {
    expect(pushed([{ index: 0, id: '', function: { name: 'f' } }])).toEqual([
      { index: 0, id: expect.any(String), type: 'function', function: { name: 'f', arguments: '' } },
      { index: 0, function: { arguments: '{}' } },
    ])
  })

  it('opens a new call for a name at an index whose call has none of its id', () => {
    const deltas = pushed(
      [{ index: 0, function: { name: 'f', arguments: '{}' } }],
      [{ index: 0, id: 'b', function: { name: 'f', arguments: '[]' } }],
    )
    expect(deltas.map(({ index }) => index)).toEqual([0, 0, 1, 1])
  })

  it('keeps two calls of one id apart, each by its index, with ids of their own', () => {
    const deltas = pushed(
      [{ index: 0, id: 'f', function: { name: 'f', arguments: '1' } }],
      [{ index: 1, id: 'f', function: { name: 'f', arguments: '2' } }],
      [{ index: 0, function: { arguments: '3' } }],
      [{ index: 1, id: 'f', function: { arguments: '4' } }],
    )
    const texts = [0, 1].map(at => deltas.map(d => (d.index === at ? d.function?.arguments : '')).join(''))
    expect(texts).toEqual(['13', '24'])
    const ids = deltas.flatMap(({ id }) => id ?? [])
    expect(ids).toEqual(['f', expect.stringMatching(/^call_/)])
  })

  it('continues a call by its id where an index that was not there before names nothing', () => {
    const deltas = pushed(
      [{ index: 0, id: 'a', function: { name: 'f', arguments: '{' } }],
      [{ index: 1, id: 'a', function: { arguments: '}' } }],
    )
    expect(deltas.map(({ index }) => index)).toEqual([0, 0, 0])
  })

  it('carries a signature that comes beside arguments', () => {
    const deltas = pushed(
      [{ index: 0, id: 'a', function: { name: 'f' } }],
      [{ index: 0, function: { arguments: '{}' }, extra_content: { s: 1 } }],
      [{ index: 0, extra_content: { s: 2 } }],
    )
    expect(deltas.slice(1)).toEqual([
      { index: 0, function: { arguments: '{}' }, extra_content: { s: 1 } },
      { index: 0, extra_content: { s: 2 } },
    ])
  })

  it('carries custom tools and signatures', () => {
    expect(
      pushed([
        { index: 0, id: 'a', type: 'custom', custom: { name: 'c', input: 'hi' }, extra_content: { s: 1 } },
      ]),
    ).toEqual([
      { index: 0, id: 'a', type: 'custom', custom: { name: 'c', input: '' }, extra_content: { s: 1 } },
      { index: 0, custom: { input: 'hi' } },
    ])
  })
})

describe('wholeToolCalls', () => {
  it('fills in ids, types and empty arguments', () => {
    expect(completeToolCalls([{ id: 'a', function: { name: 'f', arguments: '' } }], newId)).toEqual([
      { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } },
    ])
    expect(completeToolCalls([{ function: { name: 'f', arguments: '{}' } }], newId)[0]?.id).toMatch(/^call_/)
  })

  it('gives the second of two calls of one id its own', () => {
    const twice = { id: 'f', function: { name: 'f', arguments: '{}' } }
    const ids = completeToolCalls([twice, twice], newId).map(({ id }) => id)
    expect(ids).toEqual(['f', expect.stringMatching(/^call_/)])
  })
})

let made = 0
const numberedId = () => `${made++}`.repeat(32)

it.each<[string, PartialToolCall, object]>([
  [
    'a function',
    { id: 'c', function: { name: 'f', arguments: '{"a":1}' } },
    { id: 'c', type: 'function', function: { name: 'f', arguments: '{"a":1}' } },
  ],
  [
    'a function without arguments',
    { id: 'c', function: { name: 'f', arguments: '' } },
    { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } },
  ],
  [
    'a function that says nothing',
    { id: 'c' },
    { id: 'c', type: 'function', function: { name: '', arguments: '{}' } },
  ],
  [
    'a custom tool',
    { id: 'c', custom: { name: 'g', input: 'x' } },
    { id: 'c', type: 'custom', custom: { name: 'g', input: 'x' } },
  ],
  [
    'a custom tool that says nothing',
    { id: 'c', custom: {} },
    { id: 'c', type: 'custom', custom: { name: '', input: '' } },
  ],
  [
    'a function beside an empty custom',
    { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' }, custom: {} },
    { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } },
  ],
])('tells %s whole', (_, piece, call) => {
  expect(completeToolCalls([piece], numberedId)).toStrictEqual([call])
  const signed = { google: { thought_signature: 'QUJD' } }
  expect(completeToolCalls([{ ...piece, extra_content: signed }], numberedId)).toStrictEqual([
    { ...call, extra_content: signed },
  ])
})

it('gives each call an id of its own', () => {
  made = 0
  const calls = completeToolCalls([{ id: 'c' }, { id: 'c' }, { id: '' }, {}, { id: 'd' }], numberedId)
  expect(calls.map(({ id }) => id)).toEqual([
    'c',
    `call_${'0'.repeat(24)}`,
    `call_${'1'.repeat(24)}`,
    `call_${'2'.repeat(24)}`,
    'd',
  ])
})
