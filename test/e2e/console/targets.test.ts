import { fallback, models, priceTable } from '@sluice/core'
import { local } from '@sluice/providers'
import { describe, expect, it } from 'vitest'
import { callerKey, consoleService } from './console-service.ts'

describe('the test of a target', () => {
  const names = { model: 'small', provider: 'local', target: 'two' }

  it('sends one short request, which is charged and logged as the console', async () => {
    const { send, api } = consoleService({
      gateway: {
        route: models({ small: fallback(local()('one'), local()('two')) }),
        prices: priceTable({ small: { input: 1, output: 2 } }),
      },
    })
    const answer = await send('POST', '/target-tests', names)
    const result = await answer.json()
    expect([answer.status, result.status, result.error]).toEqual([200, 200, undefined])
    expect(result.ms).toBeGreaterThanOrEqual(0)
    expect(result.request).toMatchObject({ key: 'console', source: 'console', outcome: 'completed' })
    expect(result.request.attempts.map(({ model }: { model: string }) => model)).toEqual(['two'])
    expect(result.request.completionTokens).toBeLessThanOrEqual(16)
    expect(result.request.cost).toBeGreaterThan(0)
    const { requests } = await (await api('/requests')).json()
    expect(requests.map(({ id }: { id: string }) => id)).toEqual([result.request.id])
  })

  it('tells of a target that is not there, of a limit and of a model that is not allowed', async () => {
    const unknown = consoleService()
    const missing = await (await unknown.send('POST', '/target-tests', names)).json()
    expect([missing.status, missing.error]).toEqual([404, 'The model has no such target.'])
    const limited = consoleService({
      console: { chat: { limits: [{ kind: 'requests', limit: 1, per: 'hour' }] } },
    })
    const own = { ...names, target: 'small' }
    expect((await (await limited.send('POST', '/target-tests', own)).json()).status).toBe(200)
    const refused = await (await limited.send('POST', '/target-tests', own)).json()
    expect([refused.status, refused.error]).toEqual([429, expect.stringContaining('Limit 1')])
    const narrow = consoleService({ console: { chat: { models: ['other'] } } })
    expect((await (await narrow.send('POST', '/target-tests', own)).json()).status).toBe(403)
  })

  it('is for who has the admin key alone, from the page itself', async () => {
    const { fetch, send, api } = consoleService()
    const init = (key: string) => ({
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(names),
    })
    expect((await fetch('/console/api/target-tests', init(callerKey))).status).toBe(401)
    const other = await send('POST', '/target-tests', names, { origin: 'https://evil.example' })
    expect(other.status).toBe(403)
    expect((await api('/target-tests')).status).toBe(405)
    expect((await (await api('/requests')).json()).requests).toEqual([])
  })

  it.each([
    [{ ...names, model: '' }],
    [{ ...names, provider: 7 }],
    [{ model: 'small' }],
    [{ ...names, max_tokens: 100_000 }],
    [{ ...names, target: 'x'.repeat(301) }],
  ])('refuses the body %j', async body => {
    const { send } = consoleService()
    expect((await send('POST', '/target-tests', body)).status).toBe(400)
  })

  it('is not there where the console sends nothing as itself', async () => {
    const { send } = consoleService({ console: { chat: false } })
    expect((await send('POST', '/target-tests', names)).status).toBe(404)
  })
})
