import { chunks, type Misbehaviour, misbehaviours, readSse, type Script, sse, steps } from '@sluice/testing'
import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { overEveryServer } from './harness/servers.ts'
import { type Service, startService } from './harness/service.ts'
import { targetAt } from './harness/target-at.ts'
import { upstreamDuring } from './harness/upstream.ts'
import { type Verdict, verdicts } from './harness/verdicts.ts'

/** A flood is detected by its size, however long a busy machine takes to read it. */
const optionsOf = (name: Misbehaviour) => ({
  timeouts: { firstByteMs: 500, responseMs: name.startsWith('flood') ? 30_000 : 3_000, idleMs: 500 },
  stream: { holdMs: 5_000 },
})
const events = sse(chunks({ text: 'one two three' }))
const begun = events.slice(0, 3)
const cases = Object.entries(verdicts).flatMap(([name, [whole, streamed]]) => [
  { name: name as Misbehaviour, stream: false, verdict: whole },
  { name: name as Misbehaviour, stream: true, verdict: streamed },
])
/** The same, where it would take this test's time by itself. */
const shorter: Partial<Record<Misbehaviour, Script>> = {
  flood: [steps.head(), steps.flood({ bytes: 300_000 }), steps.cut()],
  drip: [steps.head(), steps.drip(begun.join(''), 0), steps.stream(events.slice(3))],
}
const scriptOf = (name: Misbehaviour) => shorter[name] ?? misbehaviours[name]

describe('F41 the upstream dies or misbehaves, before its answer or in the middle of it', () => {
  overEveryServer(mount => {
    it('is told of in the stream, which is not called done', async () => {
      const upstream = await upstreamDuring(
        [steps.stream(begun), steps.cut({ partial: 'data: {"id":' })],
        [steps.stream(begun), steps.reset()],
      )
      const { site, end } = await startService(mount, { models: { m: upstream } })
      for (const n of [1, 2]) {
        const answer = await site.chat({ model: 'm', stream: true })
        expect(answer).toMatchObject({ status: 200, complete: true })
        const { chunks, done, text } = await readSse(answer.bytes)
        expect({ done, text }).toEqual({ done: false, text: 'one two' })
        expect(chunks.at(-1)).toMatchObject({
          error: { code: 'bad_gateway', type: 'server_error', param: null, message: expect.any(String) },
        })
        // No reason to finish is made up.
        expect(chunks.flatMap(({ choices = [] }) => choices.map(it => it.finish_reason))).not.toContain(
          'stop',
        )
        expect(await end(n)).toMatchObject({
          outcome: 'upstream_failed',
          status: 200,
          usageEstimated: true,
          usage: { completion_tokens: expect.any(Number) },
          attempts: [{ called: true, error: { kind: 'truncated' } }],
        })
      }
      expect(upstream.requests).toHaveLength(2)
      await upstream.waitForIdle()
    })

    it.each<[string, Script]>([
      ['cut', [steps.stream(begun), steps.cut()]],
      ['reset', [steps.stream(begun), steps.reset()]],
      ['ended without an end', steps.stream(begun)],
    ])('is asked no more where its streams are %s again and again', async (_, script) => {
      const upstream = await upstreamDuring(script)
      const next = await upstreamDuring(steps.answer())
      const { site, ends } = await startService(mount, {
        models: { m: [upstream, next].map(targetAt) },
        breaker: { failures: 2 },
        retry: {},
      })
      const dones: boolean[] = []
      for (let n = 0; n < 3; n++) {
        dones.push((await readSse((await site.chat({ model: 'm', stream: true })).bytes)).done)
      }
      expect(dones).toEqual([false, false, true])
      expect([upstream.requests.length, next.requests.length, ends.length]).toEqual([2, 1, 3])
    })

    it.each(cases)('$name, stream: $stream, is seen as $verdict', async ({ name, stream, verdict }) => {
      const upstream = await upstreamDuring(scriptOf(name))
      const service = await startService(mount, { models: { m: upstream }, ...optionsOf(name) })
      await expectVerdict(service, { stream }, verdict)
      expect(upstream.requests).toHaveLength(1)
    })

    it.each(cases)(
      '$name, stream: $stream, is left for the next target before the first byte only',
      async ({ name, stream, verdict }) => {
        const upstream = await upstreamDuring(scriptOf(name))
        const next = await upstreamDuring(steps.answer())
        const service = await startService(mount, {
          models: { m: [upstream, next].map(targetAt) },
          ...optionsOf(name),
        })
        const movedOn = typeof verdict === 'number'
        await expectVerdict(service, { stream }, movedOn ? 'answers' : verdict)
        expect(upstream.requests).toHaveLength(1)
        expect(next.requests).toHaveLength(movedOn ? 1 : 0)
        expect((await service.end()).attempts).toHaveLength(movedOn ? 2 : 1)
      },
    )

    it.each(cases)(
      '$name, stream: $stream, raises in the official client',
      async ({ name, stream, verdict }) => {
        const upstream = await upstreamDuring(scriptOf(name))
        const { site } = await startService(mount, { models: { m: upstream }, ...optionsOf(name) })
        const client = new OpenAI({ apiKey: 'good-key', baseURL: site.place.baseURL, maxRetries: 0 })
        const messages = [{ role: 'user' as const, content: 'x' }]
        const ask = async () => {
          const answer = await client.chat.completions.create({ model: 'm', messages, stream })
          if (Symbol.asyncIterator in answer)
            for await (const chunk of answer) expect(chunk.choices).toHaveLength(1)
        }
        if (verdict === 'answers') return ask()
        const raised = await ask().catch((error: unknown) => error)
        expect(raised).toBeInstanceOf(OpenAI.APIError)
        expect(raised).toMatchObject({
          status: verdict === 'breaks' ? undefined : verdict,
          type: expect.stringMatching(/^(server_error|service_unavailable_error)$/),
        })
      },
    )
  })
})

async function expectVerdict({ site, end, ends }: Service, fields: { stream: boolean }, verdict: Verdict) {
  const answer = await site.chat({ model: 'm', ...fields })
  expect(answer.complete).toBe(true)
  const record = await end()
  expect(ends).toHaveLength(1)
  if (typeof verdict === 'number') {
    expect(answer.status).toBe(verdict)
    expect(Object.keys(answer.json ?? {})).toEqual(['error'])
    expect(answer.bytes.length).toBeLessThan(4_096)
    // A model that took too long has been at work: it is charged what was reserved for it.
    const charged = verdict === 504
    expect(record).toMatchObject({
      outcome: 'upstream_failed',
      status: answer.status,
      usage: charged ? { prompt_tokens: expect.any(Number) } : undefined,
      usageEstimated: charged,
    })
    return
  }
  expect(answer.status).toBe(200)
  if (fields.stream) {
    const { done, chunks } = await readSse(answer.bytes)
    expect(done).toBe(verdict === 'answers')
    expect(chunks.filter(({ error }) => error !== undefined)).toHaveLength(verdict === 'answers' ? 0 : 1)
    if (verdict === 'breaks') expect(chunks.at(-1)?.error).toMatchObject({ type: 'server_error' })
  }
  expect(record).toMatchObject({
    outcome: verdict === 'answers' ? 'completed' : 'upstream_failed',
    status: 200,
  })
}
