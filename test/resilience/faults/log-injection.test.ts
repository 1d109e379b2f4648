import { inspect } from 'node:util'
import type { GatewayEvent } from '@sluice/core'
import { requestLog } from '@sluice/telemetry'
import { type RawExchange, sendRawRequest, steps } from '@sluice/testing'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { logLine } from '../../../examples/custom-gateway/log-line.ts'
import { headersOf } from '../../e2e/conformance/site.ts'
import { targets } from './harness/protocol-targets.ts'
import { overServers } from './harness/servers.ts'
import { startService } from './harness/service.ts'
import { upstreamDuring } from './harness/upstream.ts'

/** Clears a terminal, colours it, begins a line of its own, and is a format to those who take it for one. */
const evil =
  '\u001b[2J\u001b[31mEVIL\r\n200 root - completed, 0 ms\n%s%n%d{{7*7}}<script>\u2028\u2029\u0085\u009b5n\u202e\0'
const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u

/** Where a caller's words may stand; each is refused, or answered. */
const asked: Readonly<Record<string, object>> = {
  'a prompt': { messages: [{ role: 'user', content: evil, name: evil }] },
  'a role': { messages: [{ role: evil, content: 'x' }] },
  'a type of a part': { messages: [{ role: 'user', content: [{ type: evil }] }] },
  'a model': { model: evil },
  'a long model': { model: evil.repeat(10_000) },
  'a field': { [evil]: evil },
  'a long field': { [evil.repeat(10_000)]: 1 },
  'a key of metadata': { metadata: { [evil]: 7 } },
  'a key of a bias': { logit_bias: { [evil]: 'x' } },
  'the name of a tool': { tools: [{ type: 'function', function: { name: evil } }] },
  'a choice': { tool_choice: evil },
  'a tier': { service_tier: evil },
  'a stop string': { stop: evil, user: evil },
  'an image': { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: evil } }] }] },
  'a type of an image': {
    messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: `data:${evil},x` } }] }],
  },
}

/** What of an event a log would print, without the stacks of errors. */
function* texts(value: unknown, seen = new Set<unknown>()): Generator<string> {
  if (typeof value === 'string') yield value
  if (typeof value !== 'object' || value === null || seen.has(value)) return
  seen.add(value)
  if (value instanceof Error) yield value.message
  for (const [key, inner] of Object.entries(value)) {
    yield key
    yield* texts(inner, seen)
  }
  if (value instanceof Error) yield* texts(value.cause, seen)
}

/** What is written of an event by `requestLog`, in all its forms. */
function written(event: GatewayEvent): string[] {
  const lines: string[] = []
  for (const format of ['json', 'pretty'] as const)
    requestLog({ format, write: line => lines.push(line) })(event)
  return lines
}

function expectLoggable(event: GatewayEvent): void {
  for (const text of texts(event)) {
    expect(text).not.toMatch(unprintable)
    expect(text.length).toBeLessThan(1_000)
  }
  for (const line of written(event)) {
    expect(line).not.toMatch(unprintable)
    expect(line).not.toContain('EVIL')
    expect(line.length).toBeLessThan(2_000)
  }
  const line = logLine(event)
  if (line === undefined) return
  expect(line).not.toMatch(unprintable)
  expect(line.length).toBeLessThan(400)
  expect(line).toMatch(/^\d{3} /)
}

function expectOneLine({ status, json, body }: RawExchange): void {
  // Node refuses a path with such bytes before anybody sees it, without a word.
  if (status === 200 || body === '') return
  const { message, param } = (json as unknown as { error: { message: string; param: string | null } }).error
  expect(message).not.toMatch(unprintable)
  expect(param ?? '').not.toMatch(unprintable)
}

/** Everything that is printed until the test ends. */
function printing(): string[] {
  const printed: string[] = []
  const keep = (...args: unknown[]) => {
    printed.push(args.map(argument => inspect(argument)).join(' '))
    return true
  }
  const spies = [
    ...(['log', 'info', 'warn', 'error', 'debug'] as const).map(name => vi.spyOn(console, name)),
    vi.spyOn(process.stdout, 'write'),
    vi.spyOn(process.stderr, 'write'),
  ]
  for (const spy of spies) spy.mockImplementation(keep as never)
  onTestFinished(() => {
    for (const spy of spies) spy.mockRestore()
  })
  return printed
}

describe('F82 words of callers that break lines, steer terminals or look like formats', () => {
  overServers(mount => {
    it.each(['openai-compatible', 'gemini'] as const)('stay out of records and logs; %s', async name => {
      const printed = printing()
      const upstream = await upstreamDuring(targets[name].answer)
      const { site, events, end } = await startService(mount, {
        models: { local: targets[name].at(upstream.url) },
      })
      const statuses = new Set<number>()
      for (const [where, fields] of Object.entries(asked)) {
        const answer = await site.chat(fields)
        expect(() => expectOneLine(answer), where).not.toThrow()
        statuses.add(answer.status)
      }
      expect([...statuses].sort()).toEqual([200, 400, 404])
      await end(Object.keys(asked).length)
      for (const event of events) expectLoggable(event)
      // The first is the prompt: nothing of it is there at all.
      expect(inspect(events[0], { depth: 20 })).not.toContain('EVIL')
      expect(printed).toEqual([])
    })

    it('stay out of messages where they are in a path or a header', async () => {
      const upstream = await upstreamDuring()
      const { site, ends } = await startService(mount, { models: { local: upstream } })
      const latin = '\u009b31m\u0085\u00ad'
      const raw = (line: string, headers: string) => {
        const text = `${line} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer good-key\r\n${headers}\r\n`
        return sendRawRequest({ port: site.port, text: Buffer.from(text, 'latin1') })
      }
      const post = `POST ${site.pathOf('/chat/completions')}`
      const answers = [
        await raw(`GET ${site.pathOf(`/${latin}`)}`, ''),
        await raw(`GET ${site.pathOf('/models/%1b%5b31m%0a%c2%9b')}`, ''),
        await raw(post, `Content-Type: text/${latin}\r\nContent-Length: 0\r\n`),
        await raw(
          post,
          `Content-Type: application/json\r\nContent-Encoding: ${latin}\r\nContent-Length: 0\r\n`,
        ),
        await raw(
          `${post}?${latin}`,
          `Content-Type: ${latin}\r\nX-Request-Id: ${latin}\r\nContent-Length: 0\r\n`,
        ),
        await site.chat({}, { ...headersOf({}), key: latin }),
      ]
      for (const answer of answers) {
        expect(answer.status).toBeGreaterThanOrEqual(400)
        expect(answer.status).toBeLessThan(500)
        expectOneLine(answer)
      }
      for (const event of ends) expectLoggable(event)
    })

    it('stay out of the log also where a route takes every name', async () => {
      const upstream = await upstreamDuring()
      const target = targets['openai-compatible'].at(upstream.url)
      const { site, end } = await startService(mount, { models: { local: target }, route: () => [target] })
      expect((await site.chat({ model: evil })).status).toBe(200)
      const event = await end()
      const line = logLine(event)
      expect(line).not.toMatch(unprintable)
      expect(line).toMatch(/^200 ann \S.* completed, 21 tokens, \d+ ms$/)
      for (const each of written(event)) expect(each).not.toMatch(unprintable)
      expect(JSON.parse(written(event)[0]!).model).toBe(evil)
    })

    it('of upstreams are one line to the caller too', async () => {
      const error = { message: `${evil} at x`, type: evil, param: evil, code: evil }
      const upstream = await upstreamDuring(
        steps.reply({ error }, { status: 400 }),
        steps.reply({ error }, { status: 503 }),
        steps.reply({ error }, { status: 200 }),
      )
      const { site, ends, end } = await startService(mount, { models: { local: upstream } })
      for (let n = 0; n < 3; n++) expectOneLine(await site.chat())
      await end(3)
      expect(ends.map(({ status }) => status)).toEqual([400, 503, 502])
      for (const event of ends) {
        expect(logLine(event)).not.toMatch(unprintable)
        for (const line of written(event)) expect(line).not.toMatch(/EVIL|[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
      }
    })
  })
})
