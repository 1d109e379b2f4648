import { crc32 } from 'node:zlib'
import { readSse, type Steps, steps } from '@sluice/testing'
import { describe, expect, it } from 'vitest'
import { eventFrame, frame } from '../../../packages/providers/test/vendors/replay/event-frames.ts'
import type { Mount } from '../../e2e/mounts/mounts.ts'
import { overServers } from './harness/servers.ts'
import { startService } from './harness/service.ts'
import { upstreamDuring } from './harness/upstream.ts'
import { framedAnswer, threeWords } from './harness/vendor-answers.ts'
import { vendors } from './harness/wires.ts'

const { type, frames } = framedAnswer('converse', threeWords)
const opening = steps.head({ headers: { 'content-type': type } })
/** The start of the message, and its first word. */
const begun = Buffer.concat(frames.slice(0, 2))
const rest = Buffer.concat(frames.slice(2))
const next = frames[2] ?? Buffer.alloc(0)

/** A frame with one bit of this byte changed; counted from its end where below 0. */
function flipped(bytes: Uint8Array, at: number): Buffer {
  const copy = Buffer.from(bytes)
  const place = at < 0 ? copy.length + at : at
  copy.writeUInt8(copy.readUInt8(place) ^ 1, place)
  return copy
}

/** The first 12 bytes of a frame, with the right checksum. */
function prelude(length: number, headers: number): Buffer {
  const bytes = Buffer.alloc(12)
  bytes.writeUInt32BE(length, 0)
  bytes.writeUInt32BE(headers, 4)
  bytes.writeUInt32BE(crc32(bytes.subarray(0, 8)), 8)
  return bytes
}

/** A frame of these bytes as headers, with right checksums. */
function headed(headers: Buffer): Buffer {
  const checked = Buffer.concat([prelude(16 + headers.length, headers.length), headers])
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(checked))
  return Buffer.concat([checked, sum])
}

const garbled: Readonly<Record<string, Uint8Array>> = {
  'a wrong checksum of its lengths': flipped(next, 9),
  'a wrong checksum of the whole': flipped(next, -1),
  'a payload that was changed': flipped(next, -6),
  'a header that was changed': flipped(next, 14),
  'a length that was changed': flipped(next, 3),
  'a length of 2^31': prelude(2 ** 31, 100),
  'a length of 2^32 - 1': prelude(2 ** 32 - 1, 0),
  'a length of 0': prelude(0, 0),
  'a length that is too short for itself': prelude(15, 0),
  'headers that are longer than it': prelude(100, 200),
  'headers of 2^31 bytes': prelude(1_000, 2 ** 31),
  'headers of 1 MiB': prelude(2 ** 21, 2 ** 20),
  'a header of an unknown type': headed(Buffer.from([1, 0x3a, 99, 0, 0])),
  'a header that is longer than its block': headed(Buffer.from([200, 0x3a, 7, 0, 1])),
  'a text that is longer than its block': headed(Buffer.from([1, 0x3a, 7, 0xff, 0xff, 0x61])),
  'no JSON in it': eventFrame('contentBlockDelta', Buffer.from('{"delta":')),
  'no object in it': eventFrame('contentBlockDelta', Buffer.from('[1]')),
  'text instead of frames': Buffer.from('HTTP/1.1 200 OK\r\n\r\n{"message":"x"}'),
}

const unknown: Readonly<Record<string, Uint8Array>> = {
  'an unknown event': eventFrame('newThing', { canary: 1 }),
  'an event without a name': eventFrame('', {}),
  'an unknown kind of message': frame({ ':message-type': 'news', ':event-type': 'messageStop' }, {}),
  'no kind of message': frame({ ':event-type': 'messageStop' }, { stopReason: 'end_turn' }),
  'no headers and no payload': headed(Buffer.alloc(0)),
  'further headers': frame({ ':message-type': 'event', ':event-type': 'ping', a: 'b', '': '' }, {}),
}

async function started(mount: Mount, timeouts: object = {}) {
  const upstream = await upstreamDuring()
  const backup = await upstreamDuring(steps.answer({ text: 'the other one' }))
  const first = vendors['bedrock with nova']!.at(upstream.url)
  const models = { alone: first, two: [first, vendors.openai!.at(backup.url)] }
  const service = await startService(mount, {
    models,
    timeouts,
    stream: { holdMs: 5_000, keepAliveMs: 10_000 },
  })
  const ask = async (model: string, script: Steps) => {
    upstream.respondWith(script)
    const answered = await service.site.chat({ model, stream: true })
    return { status: answered.status, ...(await readSse(answered.bytes)) }
  }
  return { upstream, ask, ...service }
}

describe('F58 frames of Bedrock’s event stream are broken, endless or unknown', () => {
  overServers(mount => {
    it.each(Object.entries(garbled))('%s', async (_, bytes) => {
      const { ask, end: ended, upstream } = await started(mount)
      const broken = await ask('two', [opening, steps.body(begun), steps.body(bytes), steps.hang()])
      expect([broken.status, broken.text, broken.done]).toEqual([200, 'one', false])
      expect(broken.chunks.at(-1)).toEqual({ error: expect.objectContaining({ code: 'bad_gateway' }) })
      expect(await ended()).toMatchObject({
        outcome: 'upstream_failed',
        attempts: [{ error: { kind: 'garbled' } }],
      })
      // It is not waited for, nor read on.
      await upstream.waitForClose()
      const moved = await ask('two', [opening, steps.body(bytes), steps.hang()])
      expect([moved.text, moved.done]).toEqual(['the other one', true])
    })

    it.each([1, 4, 8, 11, 12, 20, next.length - 1])('cut after %d bytes of a frame', async size => {
      const part = next.subarray(0, size)
      const { ask, end: ended } = await started(mount)
      const ways: Steps[] = [
        [opening, steps.body(begun), steps.body(part), steps.end()],
        [opening, steps.body(begun), steps.cut({ partial: part })],
      ]
      for (const [at, script] of ways.entries()) {
        const { text, done, chunks } = await ask('two', script)
        expect([text, done]).toEqual(['one', false])
        expect(chunks.at(-1)).toEqual({ error: expect.objectContaining({ code: 'bad_gateway' }) })
        expect(await ended(at + 1)).toMatchObject({ attempts: [{ error: { kind: 'truncated' } }] })
      }
      const moved = await ask('two', [opening, steps.body(part), steps.end()])
      expect([moved.text, moved.done]).toEqual(['the other one', true])
    })

    it.each(Object.entries(unknown))('passes over %s', async (_, bytes) => {
      const { ask, end: ended } = await started(mount)
      const { text, done, chunks } = await ask('alone', [
        opening,
        steps.body(begun),
        steps.body(bytes),
        steps.body(rest),
        steps.end(),
      ])
      expect([text, done]).toEqual(['one two three', true])
      expect(JSON.stringify(chunks)).not.toContain('canary')
      expect(await ended()).toMatchObject({ outcome: 'completed', usageEstimated: false })
    })

    it('of which the length is far too much is given up before its bytes come', async () => {
      const { ask, end: ended, upstream } = await started(mount)
      const { done } = await ask('alone', [
        opening,
        steps.body(begun),
        steps.body(prelude(2 ** 31, 0)),
        steps.flood(),
      ])
      expect(done).toBe(false)
      expect(await ended()).toMatchObject({ attempts: [{ error: { kind: 'garbled' } }] })
      await upstream.waitForIdle()
      // What the kernel's buffers hold, not what was announced.
      expect(upstream.bytesWritten).toBeLessThan(16_777_216)
    })

    it('of the greatest length is given up where its checksum is wrong, and no later', async () => {
      const { ask, end: ended, upstream } = await started(mount)
      const { done } = await ask('alone', [
        opening,
        steps.body(begun),
        steps.body(prelude(2 ** 24, 0)),
        steps.flood(),
      ])
      expect(done).toBe(false)
      expect(await ended()).toMatchObject({ attempts: [{ error: { kind: 'garbled' } }] })
      await upstream.waitForIdle()
      expect(upstream.bytesWritten).toBeLessThan(2 ** 25)
    })

    it('of which the rest never comes, and unknown ones without end, last as long as they may', async () => {
      const { ask, end: ended, upstream } = await started(mount, { idleMs: 300, totalMs: 1_500 })
      const silent = await ask('alone', [
        opening,
        steps.body(begun),
        steps.body(prelude(2 ** 24, 0)),
        steps.hang(),
      ])
      expect(silent.chunks.at(-1)).toMatchObject({ error: { code: 'timeout' } })
      expect(await ended(1)).toMatchObject({ attempts: [{ error: { kind: 'idle_timeout' } }] })
      const endless = await ask('alone', [
        opening,
        steps.body(begun),
        steps.flood({ unit: unknown['an unknown event']! }),
      ])
      expect([endless.text, endless.done]).toEqual(['one', false])
      expect(endless.chunks.at(-1)).toMatchObject({ error: { code: 'timeout' } })
      expect(await ended(2)).toMatchObject({ attempts: [{ error: { kind: 'total_timeout' } }] })
      await upstream.waitForIdle()
    })
  })
})
