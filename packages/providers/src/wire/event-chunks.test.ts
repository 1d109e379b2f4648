import type { PartialChunk, SseEvent } from '@sluice/core/provider'
import { describe, expect, it } from 'vitest'
import { type EventReader, eventChunks, type Progress } from './event-chunks.ts'

/** A vendor whose events are `{ say }` and `{ end }`. */
class Saying implements EventReader {
  progress: Progress = 'open'
  read(value: { readonly say?: unknown; readonly end?: unknown }, _: string, chunks: PartialChunk[]): void {
    if (value.say === 'oops') throw new Error('a reader that cannot')
    if (value.end === true) this.progress = 'ended'
    else chunks.push({ choices: [{ index: 0, delta: { content: String(value.say) } }] })
  }
}

async function said(batches: string[][], bodyEnded = false) {
  const events = batches.map(batch => batch.map((data): SseEvent => ({ event: 'message', data })))
  const texts: string[][] = []
  let failure: unknown
  try {
    for await (const chunks of eventChunks(from(events), new Saying(), () => bodyEnded)) {
      texts.push(chunks.map(({ choices }) => choices[0]?.delta.content ?? ''))
    }
  } catch (error) {
    failure = error
  }
  return { texts, failure }
}

async function* from<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items
}

describe('eventChunks', () => {
  it('gives one array for each read that said something, and stops at the end mark', async () => {
    const events = [['{"say":1}', '{"say":2}'], [' '], ['{"end":true}', '{"say":3}']]
    expect(await said(events)).toEqual({ texts: [['1', '2']], failure: undefined })
    // A keep-alive may be the first that comes.
    expect(await said([[' '], ...events])).toEqual({ texts: [['1', '2']], failure: undefined })
  })

  it('ends at the end mark of another protocol, whole or cut as its own reader says', async () => {
    const whole = await said([['{"say":1}', '{"end":true}', '[DONE]']])
    expect(whole).toEqual({ texts: [['1']], failure: undefined })
    const cut = await said([['{"say":1}', ' [DONE] ', '{"say":2}'], ['{"end":true}']])
    expect(cut.texts).toEqual([['1']])
    expect(cut.failure).toMatchObject({ kind: 'truncated' })
  })

  it.each([
    ['an end without its mark', [['{"say":1}']], false, 'truncated'],
    ['an event that the end cut', [['{"say":1}', '{"sa']], true, 'truncated'],
    ['an event that is no JSON', [['{"say":1}', '{"sa']], false, 'garbled'],
    ['an event that is no object', [['{"say":1}', '[1]']], false, 'garbled'],
    ['an event that is a list of several', [['{"say":1}', '[{"say":2},{"say":3}]']], false, 'garbled'],
    ['an event that nests without end', [['{"say":1}', '['.repeat(2_000)]], true, 'garbled'],
    ['a reader that fails', [['{"say":1}', '{"say":"oops"}']], false, 'garbled'],
  ])('delivers what came before %s', async (_, batches, bodyEnded, kind) => {
    const { texts, failure } = await said(batches, bodyEnded)
    expect(texts).toEqual([['1']])
    expect(failure).toMatchObject({ name: 'UpstreamError', kind })
  })
})
