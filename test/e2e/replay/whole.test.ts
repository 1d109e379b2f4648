import { readSse, type Split } from '@sluice/testing'
import { describe, expect, it } from 'vitest'
import { expectCompletion } from './expect-completion.ts'
import { expectStream } from './expect-stream.ts'
import { recordedWhole } from './recorded.ts'
import { present, recordings } from './recordings.ts'
import { expectSame } from './same-answer.ts'
import { replaying } from './vendor.ts'

const whole = recordings.filter(({ kind }) => kind === 'whole')
const { ask } = await replaying(whole)

describe.skipIf(!present)('recorded whole answers (skipped where ../shared/fixtures is absent)', () => {
  it('are there', () => {
    expect(whole.length).toBeGreaterThan(30)
  })

  describe.each(whole.map(recording => [recording.name, recording] as const))('%s', (model, recording) => {
    it('comes out complete and in shape', async () => {
      const recorded = recordedWhole(recording.bytes)
      const answers: string[] = []
      for (const split of ['whole', { seed: 7 }, 'bytes'] satisfies Split[]) {
        const answer = await ask(recording, split)
        expect(answer.status, answer.body).toBe(200)
        expect(answer.headers['content-type']).toBe('application/json')
        answers.push(answer.body)
      }
      expectSame(expectCompletion(JSON.parse(answers[0]!), model), recorded)
      for (const answer of answers) expect(answer).toBe(answers[0])
    })

    it('comes out as a stream where one was asked for', async () => {
      const answer = await ask(recording, 'whole', { stream: true, stream_options: { include_usage: true } })
      const answered = expectStream(await readSse(answer.bytes), { model, includeUsage: true })
      expectSame(answered, recordedWhole(recording.bytes))
    })
  })
})
