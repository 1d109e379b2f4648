import { readSse, type Steps, steps } from '@sluice/testing'
import { describe, expect, it } from 'vitest'
import type { Wire } from '../../../packages/providers/test/vendors/properties/wire.ts'
import { overEveryServer } from './harness/servers.ts'
import { startService } from './harness/service.ts'
import { upstreamDuring } from './harness/upstream.ts'
import { answering, framedAnswer, threeWords, wholeAnswer } from './harness/vendor-answers.ts'
import { oneOfEachWire, vendors } from './harness/wires.ts'

const page = '<!doctype html><html><body>Sign in to canary-wifi at 10.0.0.1</body></html>'
const html = { 'content-type': 'text/html; charset=utf-8' }

/** A right answer of the vendor's, under another status. */
const right = (wire: Wire, status: number, streamed: boolean): Steps => {
  if (!streamed) return steps.reply(wholeAnswer(wire, threeWords), { status })
  const { type, frames } = framedAnswer(wire, threeWords)
  return steps.reply(Buffer.concat(frames), { status, headers: { 'content-type': type } })
}

/** What comes in place of a completion, by whether a stream was asked for. */
const strange: Readonly<Record<string, (wire: Wire, streamed: boolean) => Steps>> = {
  'a web page': () => steps.reply(page, { headers: html }),
  'a web page that calls itself JSON': () => steps.reply(page),
  'a web page that calls itself a stream': () =>
    steps.reply(page, { headers: { 'content-type': 'text/event-stream' } }),
  'a web page without a type': () => [
    steps.raw(`HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n${page}`),
    steps.end(),
  ],
  'a right answer that calls itself a web page': (wire, streamed) => {
    const { frames } = framedAnswer(wire, threeWords)
    return steps.reply(streamed ? Buffer.concat(frames) : wholeAnswer(wire, threeWords), { headers: html })
  },
  'plain words': () => steps.reply('canary: OK', { headers: { 'content-type': 'text/plain' } }),
  'JSON of another kind': () => steps.reply({ status: 'ok', host: 'canary.internal' }),
  'a list of JSON': () => steps.reply([{ canary: 1 }]),
  'a number': () => steps.reply('42'),
  'status 204': () => steps.reply('', { status: 204, headers: {} }),
  'status 205': (wire, streamed) => right(wire, 205, streamed),
  'status 206': (wire, streamed) => right(wire, 206, streamed),
  'status 300': (wire, streamed) => right(wire, 300, streamed),
  'status 304': () => steps.reply('', { status: 304, headers: { etag: '"canary"' } }),
  'an empty body': () => steps.reply('', { headers: { 'content-type': 'application/json' } }),
  'an empty stream': () => steps.reply('', { headers: { 'content-type': 'text/event-stream' } }),
  'white space': () => steps.reply(' \n\n \n', { headers: { 'content-type': 'text/event-stream' } }),
  'a change of protocols': () => [
    steps.raw('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: canary\r\n\r\nhello'),
    steps.end(),
  ],
}

const hint =
  'HTTP/1.1 103 Early Hints\r\nlink: <https://canary/>; rel=preload\r\nset-cookie: a=canary\r\n\r\n'

describe('F87 an answer of status 200 is no completion, or its status says that it is none', () => {
  overEveryServer(mount => {
    const started = async (wire: Wire, vendor: string) => {
      const upstream = await upstreamDuring()
      const backup = await upstreamDuring(steps.answer({ text: 'the other one' }))
      const first = vendors[vendor]!.at(upstream.url)
      const second = vendors.openai!.at(backup.url)
      const service = await startService(mount, {
        models: { alone: first, two: [first, second] },
        timeouts: { firstByteMs: 1_000, responseMs: 1_000 },
      })
      return { upstream, wire, ...service }
    }

    describe.each(Object.entries(oneOfEachWire))('%s', (vendor, { wire }) => {
      const kinds = wire === 'converse' ? { ...strange, 'an event stream of others': others } : strange
      it.each(Object.entries(kinds))('answers with %s', async (_, script) => {
        const { upstream, site, end: ended } = await started(wire, vendor)
        let records = 0
        for (const stream of [false, true]) {
          upstream.respondWith(script(wire, stream))
          const told = await site.chat({ model: 'alone', stream })
          expect(told.status).toBe(502)
          expect(told.headers['content-type']).toBe('application/json')
          expect(told.json).toMatchObject({
            error: { type: 'server_error', code: 'bad_gateway', param: null },
          })
          // Nothing of what it was.
          expect(told.body).not.toMatch(/canary|html|one two/i)
          expect(told.bytes.length).toBeLessThan(1_000)
          expect(await ended(++records)).toMatchObject({ outcome: 'upstream_failed', usage: undefined })
          const passedOn = await site.chat({ model: 'two', stream })
          expect([passedOn.status, passedOn.body]).toEqual([200, expect.stringContaining('other')])
          expect(await ended(++records)).toMatchObject({ outcome: 'completed', attempts: [{}, {}] })
        }
      })

      it('answers in events where none were asked for', async () => {
        const { upstream, site, end: ended } = await started(wire, vendor)
        upstream.respondWith([answering(wire, framedAnswer(wire, threeWords).events), steps.end()])
        const told = await site.chat({ model: 'alone' })
        expect([told.status, told.json]).toEqual([
          502,
          { error: expect.objectContaining({ code: 'bad_gateway' }) },
        ])
        expect(told.body).not.toContain('two')
        expect(await ended()).toMatchObject({ attempts: [{ error: { kind: 'garbled' } }] })
      })

      it('answers in one piece where events were asked for: a whole answer is one', async () => {
        const { upstream, site, end: ended } = await started(wire, vendor)
        upstream.respondWith(steps.reply(wholeAnswer(wire, threeWords)))
        const { text, done, chunks } = await readSse(
          (await site.chat({ model: 'alone', stream: true })).bytes,
        )
        expect([text, done]).toEqual(['one two three', true])
        expect(chunks.flatMap(({ choices = [] }) => choices.flatMap(it => it.finish_reason ?? []))).toEqual([
          'stop',
        ])
        expect(await ended()).toMatchObject({ outcome: 'completed', usage: { prompt_tokens: 9 } })
        // And a part of one is none.
        const json = JSON.stringify(wholeAnswer(wire, threeWords))
        upstream.respondWith(steps.reply(json.slice(0, -20)))
        const cut = await site.chat({ model: 'alone', stream: true })
        expect(cut.status).toBe(502)
      })

      it('sends hints before its answer, which are passed over', async () => {
        const { upstream, site } = await started(wire, vendor)
        const json = JSON.stringify(wholeAnswer(wire, threeWords))
        const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(json)}`
        upstream.respondWith([
          steps.raw(`${hint.repeat(20)}HTTP/1.1 102 Processing\r\n\r\n`),
          steps.raw(`${head}\r\n\r\n${json}`),
        ])
        const told = await site.chat({ model: 'alone' })
        expect([told.status, told.interim]).toEqual([200, []])
        expect(told.body).toContain('one two three')
        expect(JSON.stringify(told.rawHeaders)).not.toContain('canary')
      })
    })

    it('hints alone are no answer: it takes no longer than an answer may', async () => {
      const { upstream, site, end: ended } = await started('chat', 'openai')
      upstream.respondWith([
        steps.raw(hint.repeat(3), { delay: 100, split: { seed: 1, max: 20 } }),
        steps.hang(),
      ])
      const told = await site.chat({ model: 'alone' })
      expect([told.status, told.json]).toMatchObject([504, { error: { code: 'timeout' } }])
      expect(await ended()).toMatchObject({ attempts: [{ error: { kind: 'response_timeout' } }] })
      await upstream.waitForIdle()
    })
  })
})

function others(): Steps {
  return [answering('messages', framedAnswer('messages', threeWords).events), steps.end()]
}
