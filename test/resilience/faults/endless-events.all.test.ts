import { chunks, readSse, type Steps, sse, steps } from '@sluice/testing'
import { describe, expect, it } from 'vitest'
import { overEveryServer } from './harness/servers.ts'
import { startService } from './harness/service.ts'
import { upstreamDuring } from './harness/upstream.ts'

const MiB = 1_048_576
const begun = sse(chunks({ text: 'one two' })).slice(0, 3)

/** Events that never end; what follows may be a gigabyte. */
const endless: Record<string, Steps> = {
  'a data line': [steps.body('data: '), steps.flood({ bytes: 1024 * MiB, unit: 'x'.repeat(1024) })],
  'data lines, each short': steps.flood({ bytes: 1024 * MiB, unit: 'data: {"a":1,\n' }),
  'the string of a chunk': [
    steps.body('data: {"choices":[{"index":0,"delta":{"content":"'),
    steps.flood({ bytes: 1024 * MiB, unit: 'abc ' }),
  ],
  'a comment': [steps.body(':'), steps.flood({ bytes: 1024 * MiB, unit: 'x'.repeat(1024) })],
  'the name of a field': steps.flood({ bytes: 1024 * MiB, unit: 'x'.repeat(1024) }),
  'four bytes a character': [
    steps.body('data: '),
    steps.flood({ bytes: 1024 * MiB, unit: '😀'.repeat(256) }),
  ],
}

describe('F50 one event never ends, and a large one does', () => {
  overEveryServer(mount => {
    it.each(Object.entries(endless))('is cut off within bounds: %s', async (_, script) => {
      const upstream = await upstreamDuring([steps.head(), script], [steps.stream(begun), script])
      const { site, end } = await startService(mount, {
        models: { m: upstream },
        stream: { holdMs: 10_000 },
      })
      expect(await site.chat({ model: 'm', stream: true })).toMatchObject({
        status: 502,
        json: { error: { code: 'bad_gateway' } },
      })
      const answered = await site.chat({ model: 'm', stream: true })
      const { chunks, done, text } = await readSse(answered.bytes)
      expect({ done, text }).toEqual({ done: false, text: 'one two' })
      expect(chunks.at(-1)).toMatchObject({ error: { code: 'bad_gateway' } })
      expect(answered.bytes.length).toBeLessThan(4_096)
      for (const n of [1, 2]) {
        expect((await end(n)).attempts).toMatchObject([{ error: { kind: 'garbled' } }])
        await upstream.waitForClose(n)
      }
      // 8 MiB of text each, and what lay in buffers between.
      expect(upstream.bytesWritten).toBeGreaterThan(2 * 8 * MiB)
      expect(upstream.bytesWritten).toBeLessThan(2 * 40 * MiB)
    })

    it.each([1, 4, 7])('passes where it ends: %i MiB, in time', async size => {
      const text = 'abcdefgh'.repeat((size * MiB) / 8)
      const [role, , finish, done] = sse(chunks({ text: 'x' }))
      const event = sse([{ choices: [{ index: 0, delta: { content: text } }] }], { done: false })
      const upstream = await upstreamDuring([
        steps.stream([role ?? '']),
        // Pieces of a packet's size: each is looked at once.
        steps.body(event.join(''), { split: { seed: 1, max: 2_800 } }),
        steps.stream([finish ?? '', done ?? '']),
      ])
      const { site, end } = await startService(mount, { models: { m: upstream } })
      const before = performance.now()
      const answered = await site.chat({ model: 'm', stream: true })
      expect(performance.now() - before).toBeLessThan(8_000)
      const transcript = await readSse(answered.bytes)
      expect(transcript.text === text).toBe(true)
      expect(transcript.done).toBe(true)
      expect((await end()).outcome).toBe('completed')
    })
  })
})
