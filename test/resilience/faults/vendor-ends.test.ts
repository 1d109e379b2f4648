import { openaiCompatible } from '@sluice/providers'
import { readSse, type Steps, sse, steps } from '@sluice/testing'
import { describe, expect, it } from 'vitest'
import type { Mount } from '../../e2e/mounts/mounts.ts'
import { overServers } from './harness/servers.ts'
import { startService } from './harness/service.ts'
import { upstreamDuring } from './harness/upstream.ts'
import { answering, framedAnswer, threeWords } from './harness/vendor-answers.ts'
import { type FaultVendor, vendors } from './harness/wires.ts'

// Where each protocol's answers end, and what a caller sees of an answer that does not get there. Every byte at which
// one may be cut is tried in vendor-ends-by-byte.test.ts.

/** A vendor with a second one behind it. One script is played to every caller of the vendor's. */
async function twoVendors(mount: Mount, vendor: FaultVendor) {
  const upstream = await upstreamDuring()
  const backup = await upstreamDuring(steps.answer({ text: 'the other one' }))
  const first = vendor.at(upstream.url)
  const second = openaiCompatible({ name: 'backup', baseURL: backup.baseURL, apiKey: 'k' })('m')
  const service = await startService(mount, {
    models: { alone: first, two: [first, second] },
    stream: { holdMs: 5_000, keepAliveMs: 10_000 },
  })
  let asks = 0
  const ask = async (model: 'alone' | 'two', script: Steps) => {
    upstream.respondWith(script)
    const asked = backup.requests.length
    const answered = await service.site.chat({ model, stream: true })
    const record = await service.end(++asks)
    return { answered, record, backupAsked: backup.requests.length - asked }
  }
  return ask
}

type Ask = Awaited<ReturnType<typeof twoVendors>>

/** Nothing was said yet: the next vendor is asked, and where there is none the status tells. */
async function expectRefused(ask: Ask, script: Steps): Promise<void> {
  const passedOn = await ask('two', script)
  const { text, done } = await readSse(passedOn.answered.bytes)
  expect([passedOn.answered.status, text, done]).toEqual([200, 'the other one', true])
  expect(passedOn.record).toMatchObject({
    outcome: 'completed',
    attempts: [
      { called: true, error: { kind: 'truncated' } },
      { called: true, error: undefined },
    ],
  })
  const alone = await ask('alone', script)
  expect(alone.answered.status).toBe(502)
  expect(alone.answered.headers['content-type']).toBe('application/json')
  expect(alone.answered.json).toMatchObject({ error: { type: 'server_error', code: 'bad_gateway' } })
  expect(alone.record).toMatchObject({ outcome: 'upstream_failed', status: 502, usage: undefined })
}

/** Something was said: the stream ends by an error, and by nothing that looks like an end. */
async function expectBroken(ask: Ask, script: Steps, text: string): Promise<void> {
  const { answered, record, backupAsked } = await ask('two', script)
  const said = await readSse(answered.bytes)
  expect(answered.status).toBe(200)
  expect(said.text).toBe(text)
  expect(said.done).toBe(false)
  expect(said.chunks.at(-1)).toEqual({ error: expect.objectContaining({ code: 'bad_gateway' }) })
  expect(
    said.chunks.flatMap(({ choices = [] }) => choices).map(choice => choice.finish_reason),
  ).not.toContain('stop')
  expect(record).toMatchObject({
    outcome: 'upstream_failed',
    status: 200,
    attempts: [{ called: true, error: { kind: 'truncated' } }],
  })
  expect(record.usage?.completion_tokens).toBeGreaterThan(0)
  expect(backupAsked).toBe(0)
}

async function expectWhole(ask: Ask, script: Steps): Promise<void> {
  const { answered, record } = await ask('two', script)
  const { text, done, chunks } = await readSse(answered.bytes)
  expect([text, done]).toEqual(['one two three', true])
  const reasons = chunks.flatMap(({ choices = [] }) => choices).flatMap(it => it.finish_reason ?? [])
  expect(reasons).toEqual(['stop'])
  expect(record).toMatchObject({ outcome: 'completed', attempts: [{ error: undefined }] })
}

describe('a stream ends only where its vendor ends it', () => {
  overServers(mount => {
    describe.each(Object.entries(vendors))('%s', (_, vendor) => {
      const { events, frames, end: whole } = framedAnswer(vendor.wire, threeWords)
      const words = ['one', ' two', ' three']
      const saying = words.map(word =>
        events.findIndex(it => JSON.stringify(it.payload).includes(`"${word}"`)),
      )

      const said = (count: number) => words.filter((_, at) => (saying[at] ?? 0) < count).join('')

      it('says its words one after the other, and only then ends', () => {
        expect(saying).toEqual([...saying].sort((a, b) => a - b))
        expect(saying[0]).toBeGreaterThanOrEqual(0)
        expect(whole).toBeGreaterThanOrEqual(saying.at(-1) ?? Number.NaN)
      })

      it('cut at any of its events, cleanly or not, and within them', async () => {
        const ask = await twoVendors(mount, vendor)
        for (let count = 0; count <= events.length; count++) {
          const before = answering(vendor.wire, events.slice(0, count))
          const next = frames[count]
          const scripts: Steps[] = [[before, steps.end()]]
          if (count <= whole) scripts.push([before, steps.cut({ at: 'between-chunks' })])
          if (next !== undefined && count <= whole) {
            const half = next.subarray(0, next.length >> 1)
            scripts.push([before, steps.body(half), steps.end()], [before, steps.cut({ partial: half })])
          }
          const text = said(count)
          for (const script of scripts) {
            if (count > whole) await expectWhole(ask, script)
            else if (text === '') await expectRefused(ask, script)
            else await expectBroken(ask, script, text)
          }
        }
      })

      if (vendor.wire === 'chat' || vendor.wire === 'converse') return
      it('takes no end mark of another protocol for its own', async () => {
        const ask = await twoVendors(mount, vendor)
        const done = steps.stream(sse([]))
        await expectBroken(ask, [answering(vendor.wire, events.slice(0, whole)), done], said(whole))
        await expectRefused(ask, [answering(vendor.wire, []), done])
      })
    })
  })
})
