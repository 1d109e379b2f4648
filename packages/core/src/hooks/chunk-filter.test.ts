import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { AnswerDelta } from '../contracts/dialect.ts'
import type { HookChunk } from '../contracts/hook.ts'
import type { PartialMessage } from '../contracts/provider.ts'
import { ChunkFilter } from './chunk-filter.ts'

const deltaOf = (delta: PartialMessage, more: Partial<AnswerDelta> = {}): AnswerDelta => ({
  index: 0,
  first: false,
  delta,
  logprobs: null,
  finish: null,
  ...more,
})
const end = deltaOf({}, { finish: 'stop' })

/** Replaces `<secret>` by `***`, wherever it is cut: nine characters at most are held back. */
const secret = '<secret>'
const hide = ({ text }: HookChunk) => ({
  replacements: [...text.matchAll(/<secret>/g)].map(({ index }) => ({
    start: index,
    end: index + secret.length,
    text: '***',
  })),
})

/** Cuts a text at these positions. */
function cut(text: string, positions: readonly number[]): string[] {
  const at = [...new Set(positions)].filter(each => each > 0 && each < text.length).sort((a, b) => a - b)
  return [0, ...at].map((start, index) => text.slice(start, at[index] ?? text.length))
}

const textOf = (deltas: readonly AnswerDelta[]) => deltas.map(({ delta }) => delta.content ?? '').join('')

const texts = fc
  .array(fc.oneof(fc.constantFrom(secret, '<secret', 'secret>', '😀', '<<'), fc.string({ unit: 'binary' })), {
    maxLength: 8,
  })
  .map(pieces => pieces.join(''))

describe('a chunk filter', () => {
  it('changes a text in the same way wherever it is cut', async () => {
    await fc.assert(
      fc.asyncProperty(texts, fc.array(fc.nat(120), { maxLength: 10 }), async (text, positions) => {
        const filter = new ChunkFilter(secret.length, hide)
        const out: AnswerDelta[] = []
        for (const piece of cut(text, positions))
          out.push(...(await filter.push([deltaOf({ content: piece })])))
        out.push(...(await filter.push([end])))
        expect(textOf(out)).toBe(text.replaceAll(secret, '***'))
        expect(out.at(-1)).toEqual(end)
      }),
    )
  })

  it('never writes half a character', async () => {
    await fc.assert(
      fc.asyncProperty(texts, fc.nat(20), async (text, holdBack) => {
        const wellFormed = text.toWellFormed()
        const filter = new ChunkFilter(holdBack, () => undefined)
        const pieces = [...wellFormed].map(character => deltaOf({ content: character }))
        const out = await filter.push([...pieces, end])
        expect(textOf(out)).toBe(wellFormed)
        for (const { delta } of out) expect((delta.content ?? '').isWellFormed()).toBe(true)
      }),
    )
  })

  it('tells what precedes a text, and where it ends', async () => {
    const chunks: HookChunk[] = []
    const filter = new ChunkFilter(2, chunk => void chunks.push(chunk) as undefined)
    await filter.push([deltaOf({ content: 'abcd' }), deltaOf({ content: 'ef' }), end])
    expect(chunks).toEqual([
      { kind: 'text', choice: 0, text: 'abcd', before: '', isLast: false },
      { kind: 'text', choice: 0, text: 'cdef', before: 'ab', isLast: false },
      { kind: 'text', choice: 0, text: 'ef', before: 'cd', isLast: true },
    ])
  })

  it('holds each text apart, and releases it before text of another kind', async () => {
    const filter = new ChunkFilter(9, hide)
    const call = { index: 0, id: 'call_1', type: 'function', function: { name: 'f', arguments: '' } } as const
    const out = await filter.push([
      deltaOf({ reasoning_content: 'Hm' }, { first: true }),
      deltaOf({ content: 'a <sec' }),
      deltaOf({ content: 'other' }, { index: 1, first: true }),
      deltaOf({ content: 'ret>' }),
      deltaOf({ tool_calls: [{ ...call, function: { name: 'f', arguments: '{"a":"<se' } }] }),
      deltaOf({
        tool_calls: [{ index: 1, id: 'call_2', type: 'custom', custom: { name: 'g', input: 'x' } }],
      }),
      deltaOf({ tool_calls: [{ index: 0, function: { arguments: 'cret>"}' } }] }),
      deltaOf({}, { finish: 'tool_calls' }),
      deltaOf({}, { index: 1, finish: 'stop' }),
    ])
    expect(out).toEqual([
      deltaOf({ reasoning_content: 'Hm' }, { first: true }),
      deltaOf({}, { index: 1, first: true }),
      deltaOf({ content: 'a' }),
      deltaOf({ content: ' ***' }),
      deltaOf({ tool_calls: [call] }),
      deltaOf({ tool_calls: [{ index: 1, id: 'call_2', type: 'custom', custom: { name: 'g', input: '' } }] }),
      deltaOf({ tool_calls: [{ index: 0, function: { arguments: '{"a":"***' } }] }),
      deltaOf({ tool_calls: [{ index: 0, function: { arguments: '"}' } }] }),
      deltaOf({ tool_calls: [{ index: 1, custom: { input: 'x' } }] }),
      deltaOf({}, { finish: 'tool_calls' }),
      deltaOf({ content: 'other' }, { index: 1 }),
      deltaOf({}, { index: 1, finish: 'stop' }),
    ])
  })

  it('reads the deprecated function call, refusals, and decisions that take time', async () => {
    const filter = new ChunkFilter(9, async chunk => hide(chunk))
    const out = await filter.push([
      deltaOf({ refusal: 'No <secret>' }, { first: true, fields: { a: 1 } }),
      deltaOf({ function_call: { name: 'f', arguments: '<secret>' } }),
      deltaOf({}, { finish: 'function_call' }),
    ])
    expect(out).toEqual([
      deltaOf({ refusal: 'No' }, { first: true }),
      deltaOf({}, { fields: { a: 1 } }),
      deltaOf({ refusal: ' ***' }),
      deltaOf({ function_call: { name: 'f', arguments: '' } }),
      deltaOf({ function_call: { arguments: '***' } }),
      deltaOf({}, { finish: 'function_call' }),
    ])
  })
})
