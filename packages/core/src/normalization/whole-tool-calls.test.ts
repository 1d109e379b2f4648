import { expect, it } from 'vitest'
import type { PartialToolCall } from '../contracts/provider.ts'
import { wholeToolCalls } from './whole-tool-calls.ts'

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
  expect(wholeToolCalls([piece], numberedId)).toStrictEqual([call])
  const signed = { google: { thought_signature: 'QUJD' } }
  expect(wholeToolCalls([{ ...piece, extra_content: signed }], numberedId)).toStrictEqual([
    { ...call, extra_content: signed },
  ])
})

it('gives each call an id of its own', () => {
  made = 0
  const calls = wholeToolCalls([{ id: 'c' }, { id: 'c' }, { id: '' }, {}, { id: 'd' }], numberedId)
  expect(calls.map(({ id }) => id)).toEqual([
    'c',
    `call_${'0'.repeat(24)}`,
    `call_${'1'.repeat(24)}`,
    `call_${'2'.repeat(24)}`,
    'd',
  ])
})
