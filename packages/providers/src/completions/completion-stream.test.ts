import { UpstreamError } from '@sluice/core/provider'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { completionStream } from './completion-stream.ts'

const encoder = new TextEncoder()
const event = (...choices: object[]) => `data: ${JSON.stringify({ model: 'm', choices })}\n\n`
const piece = (text: string, finish_reason: string | null = null, index = 0) => ({
  index,
  text,
  finish_reason,
})
const wire = [
  event(piece('caf\u00e9 ')),
  ': keep-alive\n\n',
  event(piece('\ud83d\ude00'), piece('b', null, 1)),
  event(piece('', 'stop')),
  event(piece('', 'length', 1)),
]
const end = `data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: 1, completion_tokens: 2 } })}\n\ndata: [DONE]\n\n`

async function* reads(bytes: Uint8Array, cuts: readonly number[]): AsyncGenerator<Uint8Array, void> {
  let from = 0
  for (const cut of [...cuts, bytes.length]) {
    if (cut > from) yield bytes.subarray(from, cut)
    from = Math.max(from, cut)
  }
}

/** What a stream gives, and how it ends. */
async function read(bytes: Uint8Array, cuts: readonly number[] = [], asked = 2) {
  const texts = ['', '']
  const native: string[] = []
  let usage: unknown
  let error: unknown
  try {
    for await (const batch of completionStream(reads(bytes, cuts), asked, 'text')) {
      for (const chunk of batch) {
        usage = chunk.usage ?? usage
        for (const { index, delta } of chunk.choices) texts[index]! += delta.content
      }
      native.push(...batch.native!.map(({ data }) => data))
    }
  } catch (failure) {
    error = UpstreamError.is(failure) ? failure.kind : failure
  }
  return { texts, native, usage, error }
}

describe('a stream of text completions', () => {
  const bytes = encoder.encode(wire.join('') + end)

  it('is the same however its bytes are divided', async () => {
    const whole = await read(bytes)
    expect(whole).toMatchObject({ texts: ['caf\u00e9 \ud83d\ude00', 'b'], error: undefined })
    expect(whole.usage).toMatchObject({ prompt_tokens: 1, completion_tokens: 2 })
    expect(whole.native).toHaveLength(5)
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(bytes.length)), async cuts => {
        expect(
          await read(
            bytes,
            cuts.toSorted((a, b) => a - b),
          ),
        ).toEqual(whole)
      }),
      { numRuns: 100 },
    )
  })

  it('ends well only after its end mark, or after each choice has ended', async () => {
    const finished = encoder.encode(wire.join('')).length
    for (let length = 0; length <= bytes.length; length++) {
      const { error } = await read(bytes.subarray(0, length))
      // The last event counts from the end of its JSON on.
      if (length < finished - 2) expect(error, `${length}`).toBe('truncated')
      else if (length >= finished) expect([undefined, 'truncated'], `${length}`).toContain(error)
    }
    expect((await read(encoder.encode(wire.join('')), [], 3)).error).toBe('truncated')
    expect((await read(encoder.encode(wire.join('')))).error).toBeUndefined()
  })

  it.each<[string, string, string]>([
    ['an error', 'data: {"error":{"message":"It broke.","code":500}}\n\n', 'refused'],
    ['garbage', 'data: nothing\n\ndata: [DONE]\n\n', 'garbled'],
    ['an event without choices', 'data: {"object":"x"}\n\ndata: [DONE]\n\n', 'garbled'],
    [
      'a chat chunk',
      'data: {"choices":[{"index":0,"delta":{"content":"a"}}]}\n\ndata: [DONE]\n\n',
      'garbled',
    ],
  ])('fails after what came before %s', async (_, text, kind) => {
    const { texts, error } = await read(encoder.encode(wire[0]! + text))
    expect([texts[0], error]).toEqual(['caf\u00e9 ', kind])
  })

  it('is no body in place of a stream', async () => {
    expect((await read(encoder.encode('{"choices":[]}'))).error).toBe('garbled')
    expect((await read(encoder.encode('{"error":{"message":"No."}}'))).error).toBe('refused')
    expect((await read(new Uint8Array())).error).toBe('truncated')
  })
})
