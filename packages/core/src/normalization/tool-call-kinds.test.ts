import { describe, expect, it } from 'vitest'
import type { PartialToolCall } from '../contracts/provider.ts'
import { deltaChars, ToolCalls } from './tool-calls.ts'

const newId = () => '0123456789'.repeat(4)
const sorted = (...pieces: PartialToolCall[]) => {
  const calls = new ToolCalls(newId)
  return [...pieces.flatMap(piece => calls.push([piece])), ...calls.close()]
}

describe('a custom call', () => {
  it('is known by its type, or by what it holds, and needs no text', () => {
    const opened = { index: 0, id: 'c', type: 'custom', custom: { name: 'g', input: '' } }
    expect(sorted({ index: 0, id: 'c', custom: { name: 'g' } })).toStrictEqual([opened])
    expect(sorted({ index: 0, id: 'c', type: 'custom', function: { name: 'g' } })).toStrictEqual([opened])
    expect(sorted({ index: 0, id: 'c', custom: { name: 'g', input: 'x' } })).toStrictEqual([
      opened,
      { index: 0, custom: { input: 'x' } },
    ])
  })

  it('holds nothing back that comes after it', () => {
    const calls = new ToolCalls(newId)
    calls.push([{ index: 0, id: 'c', custom: { name: 'g' } }])
    expect(calls.push([{ index: 1, id: 'd', function: { name: 'f', arguments: '1' } }])).toHaveLength(2)
    expect(calls.count).toBe(2)
    expect(calls.close()).toEqual([])
  })
})

describe('a function call', () => {
  it('gets its arguments once at the end, where it has none', () => {
    const calls = new ToolCalls(newId)
    calls.push([{ index: 0, id: 'c', function: { name: 'f' } }])
    expect(calls.close()).toEqual([{ index: 0, function: { arguments: '{}' } }])
    expect(calls.close()).toEqual([])
  })

  it('has an id of 24 signs where the vendor gives none', () => {
    expect(sorted({ function: { name: 'f', arguments: '{}' } })[0]).toMatchObject({
      id: 'call_012345678901234567890123',
    })
  })

  it('passes a signature on once, wherever it comes', () => {
    const extra_content = { google: { thought_signature: 'QUJD' } }
    const [opener, text] = sorted({
      index: 0,
      id: 'c',
      function: { name: 'f', arguments: '{}' },
      extra_content,
    })
    expect([opener, text]).toStrictEqual([
      { index: 0, id: 'c', type: 'function', function: { name: 'f', arguments: '' }, extra_content },
      { index: 0, function: { arguments: '{}' } },
    ])
    const late = sorted(
      { index: 0, id: 'c', function: { name: 'f' } },
      { index: 0, extra_content },
      { index: 0, function: { arguments: '{}' }, extra_content },
    )
    expect(late.slice(1)).toStrictEqual([
      { index: 0, extra_content },
      { index: 0, function: { arguments: '{}' }, extra_content },
    ])
  })

  it('is found again by its id where its index is gone', () => {
    const out = sorted(
      { index: 0, id: 'a', function: { name: 'f', arguments: '1' } },
      { index: 1, id: 'b', function: { name: 'g', arguments: '2' } },
      { id: 'a', function: { arguments: '3' } },
      { index: 0, id: 'a', function: { arguments: '4' } },
    )
    expect(out.map(({ index, function: made }) => [index, made?.arguments])).toEqual([
      [0, ''],
      [0, '1'],
      [1, ''],
      [1, '2'],
      [0, '3'],
      [0, '4'],
    ])
  })
})

describe('what makes no sense', () => {
  it('is more calls than clients take', () => {
    const many = Array.from({ length: 129 }, (_, index) => ({
      index,
      id: `c${index}`,
      function: { name: 'f', arguments: '1' },
    }))
    expect(() => new ToolCalls(newId).push(many)).toThrow(expect.objectContaining({ kind: 'garbled' }))
    expect(new ToolCalls(newId).push(many.slice(1))).toHaveLength(256)
  })

  it('is more kept back than may be, each piece counted with what it costs', () => {
    const held = (pieces: number, length: number) => {
      const calls = new ToolCalls(newId)
      calls.push([{ index: 0, id: 'a', function: { name: 'f' } }])
      calls.push([{ index: 1, id: 'b', function: { name: 'g' } }])
      const text = 'x'.repeat(length)
      for (let at = 0; at < pieces; at++) calls.push([{ index: 1, function: { arguments: text } }])
    }
    // The opener costs 64 too.
    expect(() => held(1, 8_388_608 - 128)).not.toThrow()
    expect(() => held(1, 8_388_608 - 127)).toThrow(expect.objectContaining({ kind: 'garbled' }))
  })
})

it('counts the text of each kind of piece', () => {
  expect(deltaChars({ index: 0, function: { arguments: 'abc' } })).toBe(3)
  expect(deltaChars({ index: 0, custom: { input: 'ab' } })).toBe(2)
  expect(deltaChars({ index: 0, function: {} })).toBe(0)
  expect(deltaChars({ index: 0, custom: {} })).toBe(0)
  expect(deltaChars({ index: 0 })).toBe(0)
})
