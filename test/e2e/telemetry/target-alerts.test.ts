import { type Alert, createAlerts } from '@sluice/alerts'
import { apiKeys, createGateway, models } from '@sluice/core'
import { openaiCompatible } from '@sluice/providers'
import { completion, startUpstream, steps } from '@sluice/testing'
import { expect, it, onTestFinished, vi } from 'vitest'

/** A gateway of two callers before a vendor that answers 500 to `ill` requests. */
async function site() {
  const upstream = await startUpstream(({ json }) =>
    steps.reply(json?.user === 'ill' ? { error: { message: 'no' } } : completion(), {
      status: json?.user === 'ill' ? 500 : 200,
    }),
  )
  onTestFinished(() => upstream.close())
  const sent: Alert[] = []
  const alerts = createAlerts({ onAlert: alert => sent.push(alert) })
  const gateway = createGateway({
    authenticate: apiKeys(['ann', 'bob'].map(id => ({ id, key: `sk-${id}` }))),
    route: models({ demo: openaiCompatible({ name: 'north', baseURL: upstream.baseURL })('small') }),
    breaker: { failures: 2, openMs: 20, maxOpenMs: 20 },
    retry: false,
    observe: alerts.observe,
  })
  onTestFinished(() => gateway.close())
  const ask = async (caller: string, user: string) => {
    const response = await gateway.fetch(
      new Request('http://gateway/v1/chat/completions', {
        method: 'POST',
        headers: { authorization: `Bearer sk-${caller}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'demo', user, messages: [{ role: 'user', content: 'Hi' }] }),
      }),
    )
    await response.text()
    await alerts.flush()
    return response.status
  }
  return { upstream, sent, ask }
}

it('alerts of a target that answers its only caller with errors, and of its recovery', async () => {
  const { sent, ask } = await site()
  await vi.waitFor(async () => {
    await ask('ann', 'ill')
    expect(sent).toMatchObject([
      { kind: 'target_down', provider: 'north', model: 'small', scope: 'principal' },
    ])
  }, 10_000)
  await expect.poll(() => ask('ann', 'well')).toBe(200)
  expect(sent.map(({ kind }) => kind)).toEqual(['target_down', 'target_recovered'])
})

it('does not alert for a caller that causes errors by itself', async () => {
  const { upstream, sent, ask } = await site()
  for (let round = 0; round < 10; round++) {
    for (let failure = 0; failure < 3; failure++) await ask('ann', 'ill')
    expect(await ask('bob', 'well')).toBe(200)
  }
  expect(upstream.requests.filter(({ json }) => json?.user === 'ill').length).toBeGreaterThan(10)
  expect(sent).toEqual([])
})
