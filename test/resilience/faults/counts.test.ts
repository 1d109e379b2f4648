import { connectRawClient } from '@sluice/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Site } from '../../e2e/conformance/site.ts'
import { behindParsers } from './harness/parsers.ts'
import { expectRefusal } from './harness/refused.ts'
import { overServers } from './harness/servers.ts'
import { startService } from './harness/service.ts'
import { upstreamDuring } from './harness/upstream.ts'

const message = '{"role":"user","content":"x"}'
const list = (count: number, item: string) => `[${`${item},`.repeat(count - 1)}${item}]`
const asking = (members: string) => `{"model":"local","messages":[${message}],${members}}`
const pairs = (count: number, value: string) =>
  `{${Array.from({ length: count }, (_, index) => `"k${index}":${value}`).join()}}`
const tool = (parameters: string) => `{"type":"function","function":{"name":"f","parameters":${parameters}}}`

const tooMany: readonly (readonly [name: string, body: string])[] = [
  ['200,000 messages', `{"model":"local","messages":${list(200_000, message)}}`],
  ['1,000,000 tools', asking(`"tools":${list(1_000_000, '{}')}`)],
  ['an enum of 150,000', asking(`"tools":[${tool(`{"enum":${list(150_000, '"x"')}}`)}]`)],
  ['150,000 empty objects in each other', asking(`"x":${list(75_000, '[{}]')}`)],
]

/** Bodies within the bounds of the whole, and beyond those of one field. */
const tooLong: readonly (readonly [name: string, body: string, code: string, param: string | null])[] = [
  ['90,000 stop strings', asking(`"stop":${list(90_000, '"x"')}`), 'array_above_max_length', 'stop'],
  ['129 tools', asking(`"tools":${list(129, tool('{}'))}`), 'array_above_max_length', 'tools'],
  [
    '90,000 pairs of metadata',
    asking(`"metadata":${pairs(90_000, '"x"')}`),
    'object_above_max_properties',
    'metadata',
  ],
  [
    '150,000 members of a field that nobody knows',
    asking(`"x":${pairs(150_000, '1')}`),
    'object_above_max_properties',
    'x',
  ],
  [
    '98,000 fields that nobody knows',
    `{"model":"local",${pairs(98_000, '1').slice(1)}`,
    'object_above_max_properties',
    null,
  ],
  [
    '30,000 messages, of which the last is none',
    `{"model":"local","messages":[${`${message},`.repeat(30_000)}7]}`,
    'invalid_type',
    'messages[30000]',
  ],
]

/** Bodies that are sound, and as large as they may be. */
const sound: readonly (readonly [name: string, body: string])[] = [
  ['33,000 messages', `{"model":"local","messages":${list(33_000, message)}}`],
  ['an enum of 95,000', asking(`"tools":[${tool(`{"enum":${list(95_000, '"x"')}}`)}]`)],
  [
    '10 MB of escapes',
    `{"model":"local","messages":[{"role":"user","content":"${'\\"'.repeat(5_000_000)}"}]}`,
  ],
  ['10 MB of white space', asking(`${' '.repeat(10_000_000)}"n":1`)],
]

/** Asks for something else again and again until a promise settles; gives the longest wait in milliseconds. */
async function longestWait(site: Site, until: Promise<unknown>): Promise<number> {
  const client = await connectRawClient({ port: site.port })
  onTestFinished(() => client.close())
  let done = false
  const ended = until.finally(() => {
    done = true
  })
  let longest = 0
  while (!done) {
    const start = performance.now()
    await client.send(`GET ${site.pathOf('/models')} HTTP/1.1\r\nHost: a\r\n\r\n`)
    await client.response()
    longest = Math.max(longest, performance.now() - start)
  }
  await ended
  return longest
}

describe('F21 many messages, tools, stop strings and members', () => {
  overServers(mount => {
    it.each(tooMany)('%s: refused before they are made', async (_, body) => {
      const upstream = await upstreamDuring()
      const { site, ends } = await startService(mount, { models: { local: upstream } })
      const asked = site.chat({}, { body })
      expect(await longestWait(site, asked)).toBeLessThan(5_000)
      expectRefusal(await asked, 400, { code: null, message: /^Invalid JSON: too many values/ })
      expect(upstream.connections.total).toBe(0)
      expect(ends[0]).toMatchObject({ outcome: 'refused', status: 400 })
    })

    it.each(tooLong)('%s: refused by the bound of their field', async (_, body, code, param) => {
      const upstream = await upstreamDuring()
      const { site } = await startService(mount, { models: { local: upstream } })
      const asked = site.chat({}, { body })
      expect(await longestWait(site, asked)).toBeLessThan(5_000)
      expectRefusal(await asked, 400, { code, param })
      expect(upstream.connections.total).toBe(0)
    })

    it.each(sound)('%s: answered, and others are answered meanwhile', async (_, body) => {
      const upstream = await upstreamDuring()
      const { site } = await startService(mount, { models: { local: upstream } })
      const asked = site.chat({}, { body })
      // Some 30 to 100 ms of work on a machine that does nothing else.
      expect(await longestWait(site, asked)).toBeLessThan(5_000)
      const { status, body: text } = await asked
      expect(status, text).toBe(200)
    })
  })

  behindParsers(mount => {
    it('are refused also where a parser of the host has read them', async () => {
      const upstream = await upstreamDuring()
      const { site } = await startService(mount, { models: { local: upstream } })
      const answer = await site.chat({}, { body: asking(`"x":${list(100_000, '1')}`) })
      expectRefusal(answer, 400, { message: /too many values/ })
      expect(upstream.connections.total).toBe(0)
    })
  })
})
