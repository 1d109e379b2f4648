import { apiKeys } from '@sluice/core'
import { completion, type RecordedRequest, type Step, type Steps, steps } from '@sluice/testing'
import { describe, expect, it } from 'vitest'
import { overServers } from './harness/servers.ts'
import { startService } from './harness/service.ts'
import { targetAt } from './harness/target-at.ts'
import { upstreamDuring } from './harness/upstream.ts'

const authenticate = apiKeys([
  { id: 'ann', key: 'good-key' },
  { id: 'bob', key: 'other-key' },
])

const poison = 'this answer belongs to nobody'
const poisoned = JSON.stringify(completion({ text: poison }))
const http = (body: string, head = 'HTTP/1.1 200 OK') =>
  `${head}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
const echo = ({ body }: RecordedRequest) => JSON.stringify(completion({ text: canaryIn(body) }))
const canaryIn = (body: string) => /canary-\w+/.exec(body)?.[0] ?? 'no canary'

/** What comes with or after the right answer, whose bytes are given. */
const variants: Record<string, (right: string) => Steps> = {
  'a second answer, a while later': right => [steps.raw(right), steps.wait(10), steps.raw(http(poisoned))],
  'a second answer, in one packet with the first': right => steps.raw(right + http(poisoned)),
  'ten further answers': right => [steps.raw(right), steps.wait(1), steps.raw(http(poisoned).repeat(10))],
  'a stream': right => [
    steps.raw(right),
    steps.raw(
      `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${poisoned.length.toString(16)}\r\n${poisoned}\r\n`,
    ),
  ],
  'half a head, which the next answer would complete': right => [
    steps.raw(right),
    steps.wait(1),
    steps.raw(`HTTP/1.1 200 OK\r\ncontent-length: ${poisoned.length}\r\nx-poison: `),
  ],
  'an answer without its last byte': right => [
    steps.raw(right),
    steps.wait(1),
    steps.raw(http(poisoned).slice(0, -1)),
  ],
  'bytes behind the content-length': right => steps.raw(right + poisoned),
  'bytes that are no HTTP': right => [steps.raw(right), steps.wait(1), steps.raw('\0\x01\xff garbage')],
  'an interim answer, and one more': right => [
    steps.raw(right),
    steps.wait(1),
    steps.raw(`HTTP/1.1 103 Early Hints\r\n\r\n${http(poisoned)}`),
  ],
  'an answer behind a body of chunks': right => {
    const body = right.slice(right.indexOf('\r\n\r\n') + 4)
    const chunk = `${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n0\r\n\r\n`
    return steps.raw(`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${chunk}${http(poisoned)}`)
  },
}

describe('F53 the upstream sends an answer that nobody asked for on an idle connection', () => {
  overServers(mount => {
    it.each(Object.entries(variants))('is never the next tenant’s: %s', async (_, variant) => {
      let announced = 0
      const upstream = await upstreamDuring(request => {
        const script = flat(variant(http(echo(request))))
        for (const step of script) announced += step.do === 'raw' ? Buffer.byteLength(step.bytes) : 0
        // Neither it nor its connection ends by itself.
        return [script, steps.hang()]
      })
      const { site, ends } = await startService(mount, { models: { m: upstream }, authenticate })
      for (let asked = 1; asked <= 20; asked++) {
        const [content, key] =
          asked % 2 === 0 ? [`canary-bob${asked}`, 'other-key'] : [`canary-ann${asked}`, 'good-key']
        const answered = await site.chat({ model: 'm', messages: [{ role: 'user', content }] }, { key })
        expect(answered).toMatchObject({ status: 200, json: { choices: [{ message: { content } }] } })
        expect(answered.body).not.toContain(poison)
        // The next one asks as soon as all of it was written: the gateway may not have read it.
        while (upstream.bytesWritten < announced) await turn()
      }
      // No connection served twice: each was thrown away.
      expect(upstream.connections.total).toBe(20)
      await upstream.waitForIdle()
      expect(ends.map(({ outcome }) => outcome)).toEqual(Array(20).fill('completed'))
    })

    it('is an answer whose body is longer than it says: refused, and its rest is nobody’s', async () => {
      const upstream = await upstreamDuring(
        steps.reply(completion({ text: poison }), { contentLength: 20 }),
        steps.answer(),
      )
      const { site } = await startService(mount, { models: { m: upstream }, authenticate })
      expect((await site.chat({ model: 'm' })).status).toBe(502)
      const answered = await site.chat({ model: 'm' }, { key: 'other-key' })
      expect(answered).toMatchObject({ status: 200, json: { choices: [{ message: { content: 'Hello' } }] } })
      expect(upstream.connections.total).toBe(2)
    })

    it('is a flood of interim answers: the right one behind it counts, and one without end is given up', async () => {
      const interim = 'HTTP/1.1 103 Early Hints\r\nlink: </style.css>\r\n\r\n'
      const upstream = await upstreamDuring(
        request => [steps.raw(interim.repeat(1_000) + http(echo(request))), steps.hang()],
        [
          ...Array.from({ length: 200 }, () => [steps.raw(interim.repeat(100)), steps.wait(10)]).flat(),
          steps.hang(),
        ],
      )
      const next = await upstreamDuring(steps.answer())
      const { site, end } = await startService(mount, {
        models: { m: [upstream, next].map(targetAt) },
        timeouts: { firstByteMs: 500, responseMs: 500 },
      })
      const asked = { model: 'm', messages: [{ role: 'user', content: 'canary-1' }] }
      expect((await site.chat(asked)).body).toContain('"canary-1"')
      expect((await site.chat(asked)).body).toContain('"Hello"')
      expect((await end(2)).attempts).toMatchObject([{ error: { kind: 'response_timeout' } }, {}])
      await upstream.waitForClose(2)
    })

    it('is an answer that changes the protocol: refused, with its connection', async () => {
      const upstream = await upstreamDuring(
        [
          steps.raw('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: poison\r\n\r\n'),
          steps.hang(),
        ],
        steps.answer(),
      )
      const { site } = await startService(mount, { models: { m: upstream } })
      expect((await site.chat({ model: 'm' })).status).toBe(502)
      await upstream.waitForClose(1)
      expect((await site.chat({ model: 'm' })).status).toBe(200)
    })
  })
})

const turn = () => new Promise(resolve => setImmediate(resolve))

function flat(script: Steps): readonly Step[] {
  return 'do' in script ? [script] : script.flatMap(flat)
}
