import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { EmbeddingEncoding, EmbeddingVector } from '../../contracts/embedding.ts'
import { UpstreamError } from '../../errors/upstream-error.ts'
import { answerText } from './answer-text.ts'

const write = (encoding: EmbeddingEncoding, ...vectors: EmbeddingVector[]) =>
  answerText({ model: 'm "x"', vectors, promptTokens: 7 }, encoding)

/** The vectors of an answer, as a client reads them. */
const read = (encoding: EmbeddingEncoding, vector: EmbeddingVector): unknown =>
  JSON.parse(write(encoding, vector)).data[0].embedding

/** Base64 of float32 values, by Node's own means. */
const base64 = (values: Float32Array) => Buffer.from(values.buffer).toString('base64')

const floats = fc.float32Array({ minLength: 1, maxLength: 64, noNaN: true, noDefaultInfinity: true })

const numbers = (text: string): EmbeddingVector => ({ kind: 'json', text })

describe('an answer with embeddings', () => {
  it('has one entry for each vector, in order, and the usage', () => {
    const text = write('float', numbers('[1]'), { kind: 'values', values: [0.5, -2] }, numbers('[3]'))
    expect(JSON.parse(text)).toEqual({
      object: 'list',
      data: [
        { object: 'embedding', index: 0, embedding: [1] },
        { object: 'embedding', index: 1, embedding: [0.5, -2] },
        { object: 'embedding', index: 2, embedding: [3] },
      ],
      model: 'm "x"',
      usage: { prompt_tokens: 7, total_tokens: 7 },
    })
  })

  it('has vectors as their vendor wrote them, where that is the asked encoding', () => {
    const text = '[ 0.10000000000000000001, -0, 1e-7 ]'
    expect(write('float', numbers(text))).toContain(`"embedding":${text}}`)
    const vector = base64(Float32Array.of(0.1, Number.NaN))
    expect(read('base64', { kind: 'base64', text: vector })).toBe(vector)
  })

  it('turns numbers into base64 of float32, and back, bit by bit', () => {
    fc.assert(
      fc.property(floats, values => {
        const text = base64(values)
        const json = JSON.stringify(Array.from(values, value => (Object.is(value, -0) ? 0 : value)))
        expect(read('base64', { kind: 'values', values })).toBe(text)
        expect(read('base64', numbers(json))).toBe(base64(values.map(value => value + 0)))
        const back = Float32Array.from(read('float', { kind: 'base64', text }) as number[])
        expect(base64(back)).toBe(text)
        expect(base64(Float32Array.from(read('float', { kind: 'values', values }) as number[]))).toBe(text)
      }),
    )
  })

  it('writes float32 values of any size in at most nine digits, which are the same values again', () => {
    for (let power = -45; power <= 38; power++) {
      const near = Array.from({ length: 200 }, (_, step) => (1 + (step - 100) * 6e-8) * 10 ** power)
      const values = Float32Array.from([...near, ...near.map(value => -value)]).filter(Number.isFinite)
      const written = write('float', { kind: 'values', values }).match(/"embedding":(\[.*?\])/)![1]!
      expect(Float32Array.from(JSON.parse(written)), `1e${power}`).toEqual(values)
      if (power > -7 && power < -1) {
        for (const number of written.slice(1, -1).split(','))
          expect(number.replace(/^-?0\.0*/, '').length).toBeLessThanOrEqual(9)
      }
    }
  })

  it('rounds numbers of a higher precision to float32 in base64, and keeps them as numbers', () => {
    const values = [0.1, 1 / 3]
    expect(read('base64', { kind: 'values', values })).toBe(base64(Float32Array.from(values)))
    expect(read('float', { kind: 'values', values })).toEqual(values)
  })

  it.each<[string, EmbeddingEncoding, EmbeddingVector]>([
    ['text that leaves the array', 'float', numbers('[1],"x":[2]')],
    ['a number beyond float32', 'base64', numbers('[1e39]')],
    ['a number beyond any', 'base64', numbers('[1e999]')],
    ['no numbers', 'base64', numbers('["a"]')],
    ['null', 'base64', numbers('[null]')],
    ['a number as text', 'base64', numbers('["1"]')],
    ['no JSON', 'base64', numbers('[1,')],
    ['an object', 'base64', numbers('{}')],
    ['no number', 'float', { kind: 'values', values: [Number.NaN] }],
    [
      'an infinite number',
      'float',
      { kind: 'base64', text: base64(Float32Array.of(Number.POSITIVE_INFINITY)) },
    ],
    ['text that leaves the string', 'base64', { kind: 'base64', text: 'AAAA","x":"A' }],
    ['half a float', 'base64', { kind: 'base64', text: 'AAA=' }],
    ['half a float to decode', 'float', { kind: 'base64', text: 'AAA=' }],
    ['base64 that is cut off', 'base64', { kind: 'base64', text: 'AAAAA' }],
    ['padding within', 'float', { kind: 'base64', text: 'AA==AA==' }],
  ])('is no answer with %s', (_, encoding, vector) => {
    let thrown: unknown
    try {
      write(encoding, vector)
    } catch (error) {
      thrown = error
    }
    expect(UpstreamError.is(thrown) && thrown.kind).toBe('garbled')
  })
})
