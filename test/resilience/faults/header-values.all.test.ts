import { GatewayError } from '@sluice/core'
import { gemini } from '@sluice/providers'
import { chunks, completion, readSse, sse, steps } from '@sluice/testing'
import { describe, expect, it } from 'vitest'
import { expectRefusal } from './harness/refused.ts'
import { overAllMounts, overEveryServer } from './harness/servers.ts'
import { startService } from './harness/service.ts'
import { upstreamDuring } from './harness/upstream.ts'

/** No header can carry these, or must not: the first would end it and begin another. */
const values = [
  'a\r\nx-injected: 1\r\n\r\nHTTP/1.1 200 OK',
  'a\nset-cookie: b=c',
  'modèle-größe',
  '模型-😀',
  'a\0b\u007f',
  '\u001b[31m',
]

const injected = (headers: Readonly<Record<string, string>>) =>
  Object.keys(headers).filter(name => name === 'x-injected' || name === 'set-cookie')

describe('F36 ids and names that no header can carry', () => {
  overAllMounts(mount => {
    it('that an upstream gives to its answers', async () => {
      const upstream = await upstreamDuring()
      const { site, end } = await startService(mount, { models: { local: upstream } })
      for (const id of values) {
        const content = { id, model: id, text: 'one two' }
        upstream.respondWith(
          steps.reply(completion(content)),
          steps.stream(sse(chunks(content))),
          steps.reply({ error: { message: id, type: id, code: id, param: id } }, { status: 400 }),
        )
        const whole = await site.chat()
        const streamed = await site.chat({ stream: true })
        const refused = await site.chat()
        expect([whole.status, streamed.status, refused.status]).toEqual([200, 200, 400])
        expect(whole.json?.model).toBe('local')
        expect((await readSse(streamed.bytes)).done).toBe(true)
        expectRefusal(refused, 400, { param: null })
        for (const { headers, complete } of [whole, streamed, refused]) {
          expect(complete).toBe(true)
          expect(injected(headers)).toEqual([])
          expect(headers['x-request-id']).toMatch(/^req_[0-9a-f]{32}$/)
        }
      }
      await end(3 * values.length)
    })

    it('that an owner gives to models', async () => {
      const upstream = await upstreamDuring()
      const table = Object.fromEntries(values.map(name => [name, upstream]))
      const { site } = await startService(mount, { models: table })
      const listed = await site.get('/models')
      expect(listed.json).toMatchObject({ data: values.map(id => ({ id })) })
      for (const model of values) {
        const whole = await site.chat({ model, made_up: 1, [model]: 1, api_key: 'x' })
        expect([whole.status, whole.json?.model]).toEqual([200, model])
        const shown = await site.get(`/models/${encodeURIComponent(model)}`)
        expect([shown.status, shown.json?.id]).toEqual([200, model])
        const unknown = await site.chat({ model: `${model}2` })
        expect(unknown.status).toBe(404)
        for (const { headers } of [whole, listed, shown, unknown]) expect(injected(headers)).toEqual([])
      }
    })
  })

  overEveryServer(mount => {
    it.each(values)('a parameter called %j, of which a header tells', async name => {
      const upstream = await upstreamDuring(
        steps.reply({
          candidates: [{ content: { role: 'model', parts: [{ text: 'x' }] }, finishReason: 'STOP' }],
        }),
      )
      const target = gemini({ apiKey: 'k', baseURL: `${upstream.url}/v1beta` })('gemini-2.5-flash')
      const { site } = await startService(mount, { models: { local: target } })
      const { status, headers } = await site.chat({ [name]: 1 })
      expect(status).toBe(200)
      expect(injected(headers)).toEqual([])
      expect(headers['x-sluice-adjustments']).toMatch(/^"[\x20-\x7e]+";action=dropped/)
    })

    it.each(values)('an upstream that sends %j in its own headers', async value => {
      const latin = Buffer.from(value, 'utf8')
        .toString('latin1')
        .replaceAll(/[\r\n\0]/g, ' ')
      const upstream = await upstreamDuring([
        steps.head({ headers: { 'x-request-id': latin, 'openai-organization': latin } }),
        { do: 'body', data: sse(chunks({ text: 'x' })).join('') },
      ])
      const { site } = await startService(mount, { models: { local: upstream } })
      const { status, headers } = await site.chat({ stream: true })
      expect(headers['x-request-id']).toMatch(/^req_[0-9a-f]{32}$/)
      expect(headers).not.toHaveProperty('openai-organization')
      expect(status).toBeLessThan(503)
    })

    it.each([...values, '', 'x'.repeat(101)])('an `id` of the owner that makes %j', async made => {
      const upstream = await upstreamDuring()
      const { site, gateway } = await startService(mount, {
        models: { local: upstream },
        generateId: () => made,
      })
      for (const { headers, status } of [await site.chat(), await site.chat({}, { key: null })]) {
        expect([200, 401]).toContain(status)
        expect(headers['x-request-id']).toMatch(/^req_[0-9a-f]{32}$/)
      }
      expect((await gateway.fetch('http://a/v1/models')).headers.get('x-request-id')).toMatch(/^req_/)
    })

    it.each(values)('a policy whose refusal has a header of %j', async value => {
      const upstream = await upstreamDuring()
      const { site } = await startService(mount, {
        models: { local: upstream },
        authorize: () => {
          throw new GatewayError('rate_limit_exceeded', { headers: { 'retry-after': '1', 'x-why': value } })
        },
      })
      const { status, headers } = await site.chat()
      expect([status, headers['retry-after'], injected(headers)]).toEqual([429, '1', []])
    })
  })
})
