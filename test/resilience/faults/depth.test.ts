import { connectRawClient } from '@sluice/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { base } from '../../e2e/conformance/site.ts'
import type { Mount } from '../../e2e/mounts/mounts.ts'
import { behindParsers } from './harness/parsers.ts'
import { targets } from './harness/protocol-targets.ts'
import { expectRefusal } from './harness/refused.ts'
import { overServers } from './harness/servers.ts'
import { startService } from './harness/service.ts'
import { upstreamDuring } from './harness/upstream.ts'

const levels = 100_000
const nested = (open: string, close: string, inside = '1') =>
  open.repeat(levels) + inside + close.repeat(levels)
const within = (member: string) => `${JSON.stringify(base).slice(0, -1)},${member}}`

const bombs: readonly (readonly [name: string, body: string, message: RegExp])[] = [
  ['objects', within(`"x":${nested('{"a":', '}')}`), /nested too deep/],
  ['arrays', within(`"messages2":${nested('[', ']')}`), /nested too deep/],
  ['a schema of a tool', within(`"tools":[${nested('{"items":', '}')}]`), /nested too deep/],
  ['both, with white space', within(`"x":${nested(' [ {"a"\n:', '} ]')}`), /nested too deep/],
]
const unclosed = within(`"x":${'[{"a":'.repeat(levels)}`).slice(0, -1)

/** A service whose own event loop answers others while it looks at a bomb. */
async function bombed(mount: Mount, body: string) {
  const upstream = await upstreamDuring()
  const { site, ends } = await startService(mount, { models: { local: upstream } })
  const other = await connectRawClient({ port: site.port })
  onTestFinished(() => other.close())
  let asked = 0
  let longest = 0
  let done = false
  const pinging = (async () => {
    while (!done) {
      const start = performance.now()
      await other.send(`GET ${site.pathOf('/models')} HTTP/1.1\r\nHost: a\r\n\r\n`)
      expect((await other.response())?.status).toBe(401)
      longest = Math.max(longest, performance.now() - start)
      asked++
    }
  })()
  const answer = await site.chat({}, { body })
  done = true
  await pinging
  expect(asked).toBeGreaterThan(0)
  // A loop that stands still for a bomb does so for seconds; a busy machine does for less.
  expect(longest).toBeLessThan(5_000)
  expect(upstream.connections.total).toBe(0)
  expect((await site.chat()).status).toBe(200)
  return { answer, ends }
}

describe('F17 JSON that nests 100,000 deep', () => {
  overServers(mount => {
    it.each(bombs)('is refused before anything is made of it: %s', async (_, body, message) => {
      const { answer, ends } = await bombed(mount, body)
      expectRefusal(answer, 400, { code: null, message })
      expect(ends[0]).toMatchObject({ outcome: 'refused', status: 400, attempts: [] })
    })

    it('is refused where it never ends', async () => {
      const { answer } = await bombed(mount, unclosed)
      expectRefusal(answer, 400, { message: /nested too deep/ })
    })

    it.each([
      ['64 levels', 64, 200],
      ['65 levels', 65, 400],
    ])('%s: the bound is where it is said to be', async (_, depth, status) => {
      const upstream = await upstreamDuring()
      const { site } = await startService(mount, { models: { local: upstream } })
      const inner = depth - 1
      const { status: got } = await site.chat(
        {},
        { body: within(`"x":${'['.repeat(inner)}${']'.repeat(inner)}`) },
      )
      expect(got).toBe(status)
      if (status === 200) expect(JSON.stringify(upstream.requests[0]?.json?.x)).toHaveLength(2 * inner)
    })

    it.each(['anthropic', 'gemini', 'bedrock'] as const)(
      'is refused in the arguments of a call, which %s takes as an object',
      async vendor => {
        const upstream = await upstreamDuring(targets[vendor].answer)
        const { site } = await startService(mount, { models: { local: targets[vendor].at(upstream.url) } })
        const call = { id: 'a', type: 'function', function: { name: 'f', arguments: nested('{"a":', '}') } }
        const messages = [
          { role: 'user', content: 'x' },
          { role: 'assistant', content: null, tool_calls: [call] },
          { role: 'tool', content: 'x', tool_call_id: 'a' },
        ]
        expectRefusal(await site.chat({ messages }), 400, { code: 'invalid_value' })
        expect(upstream.connections.total).toBe(0)
      },
    )
  })

  behindParsers(mount => {
    it('is refused also where a parser of the host has made a value of it', async () => {
      const [, body] = bombs[0]!
      const { answer, ends } = await bombed(mount, body)
      expectRefusal(answer, 400, { param: 'x', message: /nested too deep/ })
      expect(ends[0]).toMatchObject({ outcome: 'refused', status: 400 })
    })
  })
})
