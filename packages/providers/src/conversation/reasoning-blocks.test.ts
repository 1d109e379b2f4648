import type { JsonObject } from '@sluice/core/provider'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { reasoningBlocks } from './reasoning-blocks.ts'

const format = 'anthropic-claude-v1'
const text = (text: string, signature: string, index: number): JsonObject => ({
  type: 'reasoning.text',
  text,
  signature,
  format,
  index,
})

describe('reasoningBlocks', () => {
  it('gives the blocks of one format in their order', () => {
    const details = [
      text('one', 's1', 0),
      { type: 'reasoning.encrypted', data: 'xyz', format, index: 1 },
      text('', 's2', 2),
    ]
    expect(reasoningBlocks(details, format)).toEqual({
      blocks: [
        { kind: 'text', text: 'one', signature: 's1' },
        { kind: 'encrypted', data: 'xyz' },
        { kind: 'text', text: '', signature: 's2' },
      ],
      foreign: false,
      unsigned: false,
    })
  })

  it('tells that there were blocks of another format, or of none', () => {
    const other = { type: 'reasoning.encrypted', data: 'g', format: 'google-gemini-v1', index: 0 }
    expect(reasoningBlocks([other, text('t', 's', 1)], format)).toEqual({
      blocks: [{ kind: 'text', text: 't', signature: 's' }],
      foreign: true,
      unsigned: false,
    })
    expect(reasoningBlocks([{ type: 'reasoning.text', text: 't', signature: 's' }], format)).toEqual({
      blocks: [],
      foreign: true,
      unsigned: false,
    })
    expect(reasoningBlocks([{ type: 'something.else', format }], format)).toEqual({
      blocks: [],
      foreign: false,
      unsigned: false,
    })
  })

  it('joins pieces of one type and index, of which only some say the format', () => {
    const details = [
      { type: 'reasoning.text', text: 'so ', format, index: 0 },
      { type: 'reasoning.encrypted', data: 'ab', format, index: 0 },
      { type: 'reasoning.text', text: 'it is', index: 0 },
      { type: 'reasoning.encrypted', data: 'cd', index: 0 },
      { type: 'reasoning.text', signature: 'sig', index: 0 },
    ]
    expect(reasoningBlocks(details, format).blocks).toEqual([
      { kind: 'text', text: 'so it is', signature: 'sig' },
      { kind: 'encrypted', data: 'abcd' },
    ])
  })

  it('tells where a block stood, where that is said and makes sense', () => {
    const place = { text: 3, calls: 1 }
    const places = (given: unknown) =>
      reasoningBlocks([{ ...text('t', 's', 0), place: given } as JsonObject], format).blocks.map(
        block => block.position,
      )
    expect(places(place)).toEqual([place])
    for (const odd of [
      undefined,
      null,
      3,
      [],
      {},
      { text: 1 },
      { text: -1, calls: 0 },
      { text: '1', calls: 0 },
    ])
      expect(places(odd)).toEqual([undefined])
    const pieces = [{ ...text('t', '', 0), place }, text('', 's', 0)]
    expect(reasoningBlocks(pieces, format).blocks).toMatchObject([{ position: place }])
  })

  it('does not join what follows a signature, nor what has no index', () => {
    const { blocks } = reasoningBlocks([text('a', 's1', 0), text('b', 's2', 0)], format)
    expect(blocks).toEqual([
      { kind: 'text', text: 'a', signature: 's1' },
      { kind: 'text', text: 'b', signature: 's2' },
    ])
    const loose = { type: 'reasoning.encrypted', data: 'x', format }
    expect(reasoningBlocks([loose, loose], format).blocks).toHaveLength(2)
  })

  it('leaves out text without a signature, and whatever makes no sense', () => {
    const details = [
      { type: 'reasoning.text', text: 'unsigned', format, index: 0 },
      { type: 'reasoning.encrypted', data: 7, format, index: 1 },
      { type: 'reasoning.text', text: null, signature: ['x'], format, index: 2 },
    ] as unknown as JsonObject[]
    expect(reasoningBlocks(details, format)).toEqual({ blocks: [], foreign: false, unsigned: true })
    expect(reasoningBlocks([...details, text('t', 's', 3)], format)).toMatchObject({
      blocks: [{ text: 't' }],
      unsigned: true,
    })
  })

  it('counts a block once that is there twice, whole or in the same pieces', () => {
    const whole = [text('a', 's1', 0), { type: 'reasoning.encrypted', data: 'xyz', format, index: 1 }]
    const once = reasoningBlocks(whole, format)
    expect(once.blocks).toHaveLength(2)
    expect(reasoningBlocks([...whole, ...whole], format)).toEqual(once)
    expect(reasoningBlocks([whole[0]!, ...whole], format)).toEqual(once)
    const pieces = [
      { type: 'reasoning.text', text: 'a', format, index: 0 },
      { type: 'reasoning.text', signature: 's1', format, index: 0 },
    ]
    expect(reasoningBlocks([...pieces, ...pieces], format).blocks).toHaveLength(1)
  })

  it('gives back whole blocks however their text was cut', () => {
    const block = fc.record({ text: fc.string(), signature: fc.string({ minLength: 1 }), cut: fc.nat(5) })
    fc.assert(
      fc.property(fc.array(block, { maxLength: 6 }), all => {
        const pieces = all.flatMap(({ text, signature, cut }, index) => [
          { type: 'reasoning.text', text: text.slice(0, cut), format, index },
          { type: 'reasoning.text', text: text.slice(cut), format, index },
          { type: 'reasoning.text', signature, index },
        ])
        expect(reasoningBlocks(pieces, format).blocks).toEqual(
          all.map(({ text, signature }) => ({ kind: 'text', text, signature })),
        )
      }),
    )
  })
})
