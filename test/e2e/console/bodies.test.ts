import { apiKeys, concurrent, responseCache } from '@sluice/core'
import { createBodyLog } from '@sluice/log'
import { describe, expect, it, onTestFinished } from 'vitest'
import { inMemoryBodyLog } from '../../../packages/log/src/in-memory-body-log.ts'
import { callerKey, consoleService, type ServiceOptions } from './console-service.ts'

const key = new Uint8Array(32).fill(1)

function setUp(options: ServiceOptions = {}) {
  const repository = inMemoryBodyLog()
  const bodies = createBodyLog({ repository, key, retentionMs: 60_000, maxBytes: 5_000 })
  onTestFinished(() => bodies.close())
  const service = consoleService({
    ...options,
    console: { bodies, ...options.console },
    gateway: { bodies, cache: responseCache({ ttlMs: 60_000 }), ...options.gateway },
  })
  const sent = async (more: object = {}) => {
    const response = await service.chat(more)
    const text = await response.text()
    await bodies.flush()
    return { id: response.headers.get('x-request-id')!, text }
  }
  const replay = (id: string) => service.send('POST', `/log/${id}/replay`, undefined)
  return { ...service, repository, bodies, sent, replay }
}

describe('bodies in the console', () => {
  it('are read with the admin key', async () => {
    const { api, sent } = setUp()
    expect(await (await api('/about')).json()).toMatchObject({ bodies: true, bodiesRetentionMs: 60_000 })
    const { id, text } = await sent()
    const answer = await api(`/log/${id}/bodies`)
    expect(answer.headers.get('cache-control')).toContain('no-store')
    expect(await answer.json()).toMatchObject({
      requestId: id,
      principal: { id: 'ann' },
      path: '/v1/chat/completions',
      request: expect.stringContaining('my secret prompt'),
      response: text,
      text: JSON.parse(text).choices[0].message.content,
    })
    expect((await api('/log/req_none/bodies')).status).toBe(404)
    expect((await api(`/log/${id}/bodies?x=1`)).status).toBe(400)
  })

  it.each([
    ['GET', 'bodies'],
    ['POST', 'replay'],
  ])('are for nobody else, not even for the caller of the request: %s %s', async (method, part) => {
    const authenticate = apiKeys([
      { id: 'ann', key: callerKey },
      { id: 'bob', key: 'sk-bob' },
    ])
    const { fetch, sent } = setUp({ gateway: { authenticate } })
    const { id } = await sent()
    for (const caller of [callerKey, 'sk-bob', '']) {
      const headers = caller === '' ? {} : { authorization: `Bearer ${caller}` }
      const answer = await fetch(`/console/api/log/${id}/${part}`, { method, headers })
      expect(answer.status).toBe(401)
      expect(await answer.text()).not.toContain('secret')
    }
  })

  it('are sent again as the principal console, past the cache', async () => {
    const { sent, replay, bodies, repository } = setUp()
    for (const stream of [false, true]) {
      const { id } = await sent({ stream })
      for (let count = 0; count < 2; count++) {
        const answer = await replay(id)
        expect(answer.status).toBe(200)
        const replayed = await answer.json()
        expect(replayed).toMatchObject({
          status: 200,
          text: expect.stringContaining('my secret prompt'),
          request: {
            key: 'console',
            model: 'small',
            provider: 'local',
            completionTokens: expect.any(Number),
          },
        })
        expect(replayed.request.cache).not.toBe('hit')
        await bodies.flush()
        expect((await bodies.get(replayed.request.id))?.principal).toEqual({
          id: 'console',
          source: 'console',
        })
      }
    }
    expect(repository.rows.size).toBe(6)
  })

  it('are sent again within the models and limits of the chat', async () => {
    const { sent, replay } = setUp({ console: { chat: { models: ['other'], limits: [] } } })
    const { id } = await sent()
    expect(await (await replay(id)).json()).toMatchObject({ status: 403 })
    const bounded = setUp({
      console: { chat: { limits: [{ kind: 'requests', limit: 1, per: 'minute' }] } },
      gateway: { limits: [concurrent(5)] },
    })
    const first = await bounded.sent()
    expect((await bounded.replay(first.id)).status).toBe(200)
    const refused = await bounded.replay(first.id)
    expect(refused.status).toBe(429)
    expect(refused.headers.get('retry-after')).not.toBeNull()
  })

  it('are not sent again for another origin, without a chat, and if the request is not stored', async () => {
    const { sent, api, replay } = setUp()
    const { id } = await sent()
    const foreign = { method: 'POST', headers: { 'sec-fetch-site': 'cross-site' } }
    expect((await api(`/log/${id}/replay`, foreign)).status).toBe(403)
    const large = await sent({ messages: [{ role: 'user', content: 'x'.repeat(6_000) }] })
    const answer = await replay(large.id)
    expect(answer.status).toBe(400)
    expect(await answer.text()).toContain('larger than maxBytes')
    expect((await api(`/log/${id}/replay`)).status).toBe(405)
    const silent = setUp({ console: { chat: false } })
    expect((await silent.replay((await silent.sent()).id)).status).toBe(404)
  })

  it('are 404 without a log of bodies, and 503 without their key or while the database fails', async () => {
    const { api: without } = consoleService()
    expect((await without('/log/req_1/bodies')).status).toBe(404)
    const { repository, sent } = setUp()
    const { id } = await sent()
    const other = createBodyLog({ repository, key: new Uint8Array(32).fill(2), retentionMs: 60_000 })
    onTestFinished(() => other.close())
    const { api, failures } = consoleService({ console: { bodies: other } })
    const answer = await api(`/log/${id}/bodies`)
    expect([answer.status, await answer.text()]).toEqual([
      503,
      expect.stringContaining('cannot be decrypted'),
    ])
    repository.get = () => Promise.reject(new Error('db.internal'))
    const failing = await api(`/log/${id}/bodies`)
    expect([failing.status, await failing.text()]).toEqual([503, expect.not.stringContaining('db.internal')])
    expect(failures).toHaveLength(2)
  })
})
