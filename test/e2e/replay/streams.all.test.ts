import { readSse, type Split } from '@sluice/testing'
import { describe, expect, it } from 'vitest'
import { expectStream } from './expect-stream.ts'
import { recordedStream } from './recorded.ts'
import { present, recordings } from './recordings.ts'
import { expectSame } from './same-answer.ts'
import { replaying } from './vendor.ts'

const streams = recordings.filter(({ kind }) => kind === 'stream')
const { ask } = await replaying(streams)
/** Byte for byte takes long: what is longer than this comes in random pieces only. */
const mostBytes = 12_000

describe.skipIf(!present)('recorded streams (skipped where ../shared/fixtures is absent)', () => {
  it('are there', () => {
    expect(streams.length).toBeGreaterThan(40)
  })

  it.each(streams.map(recording => [recording.name, recording] as const))('%s', async (model, recording) => {
    const recorded = recordedStream(recording.bytes)
    const stream_options = { include_usage: true }
    const answers: string[] = []
    const splits: Split[] = ['whole', { seed: 7 }, { seed: 8, max: 700 }]
    if (recording.bytes.length <= mostBytes) splits.push('bytes')
    for (const split of splits) {
      const answer = await ask(recording, split, { stream: true, stream_options })
      expect(answer.status, answer.body).toBe(200)
      expect(answer.headers['content-type']).toBe('text/event-stream; charset=utf-8')
      expect(answer.complete).toBe(true)
      answers.push(answer.body)
    }
    const transcript = await readSse(answers[0]!)
    const answered = expectStream(transcript, { model, includeUsage: true, breaks: recorded.error })
    expectSame(answered, recorded)
    // Ids and time stand still: however the bytes came, the same bytes go out.
    for (const answer of answers) expect(answer).toBe(answers[0])

    const uncounted = await ask(recording, 'whole', { stream: true })
    const plain = expectStream(await readSse(uncounted.bytes), {
      model,
      includeUsage: false,
      breaks: recorded.error,
    })
    expect(plain.choices).toEqual(answered.choices)
  })
})
