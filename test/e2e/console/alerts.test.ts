import { createAlerts } from '@sluice/alerts'
import { describe, expect, it, onTestFinished } from 'vitest'
import { targetDown } from '../../../packages/alerts/src/fake-target-event.ts'
import { callerKey, consoleService } from './console-service.ts'

function setUp(webhooks: Parameters<typeof createAlerts>[0]['webhooks'] = []) {
  const alerts = createAlerts({ webhooks })
  onTestFinished(() => alerts.close())
  return { alerts, ...consoleService({ console: { alerts } }) }
}

describe('alerts in the console', () => {
  it('are the latest ones, newest first, as text', async () => {
    const { alerts, api } = setUp()
    expect(await (await api('/about')).json()).toMatchObject({ alerts: true })
    expect(await (await api('/alerts')).json()).toEqual({ alerts: [] })
    for (const model of ['one', 'R&D <two>']) {
      alerts.observe(targetDown(model))
      await alerts.flush()
    }
    const { alerts: rows } = await (await api('/alerts')).json()
    expect(rows).toEqual([
      {
        id: expect.any(String),
        kind: 'target_down',
        text: 'The target north/R&D <two> is down: its circuit breaker is open (overloaded).',
        at: expect.any(Number),
        delivery: 'no_webhooks',
        webhooks: 0,
        failures: [],
      },
      expect.objectContaining({ text: expect.stringContaining('north/one') }),
    ])
    expect((await api('/alerts?x=1')).status).toBe(400)
  })

  it('of a budget have the caller and the rule apart', async () => {
    const { alerts, api } = setUp()
    alerts.observe({
      type: 'budget',
      rule: "budget(10, 'usd').per('day').by('key')",
      counter: 'ann',
      subject: { key: 'ann', source: 'api_keys' },
      window: 'day',
      limit: 10,
      spent: 9,
      refused: false,
      dryRun: false,
    })
    await alerts.flush()
    const [row] = (await (await api('/alerts')).json()).alerts
    expect(row).toMatchObject({
      kind: 'budget',
      text: expect.stringMatching(
        /^\d+ % of the budget of key ann of this day is spent: \$9\.00 of \$10\.00\.$/,
      ),
      key: 'ann',
      source: 'api_keys',
      rule: "budget(10, 'usd').per('day').by('key')",
    })
  })

  it('say that no webhook has accepted them, without its URL', async () => {
    const { alerts, api } = setUp([{ url: 'http://127.0.0.1:9/s3cret' }])
    alerts.observe(targetDown('one'))
    await alerts.flush()
    const text = await (await api('/alerts')).text()
    expect(JSON.parse(text).alerts).toMatchObject([
      { delivery: 'failed', webhooks: 1, failures: [expect.stringContaining('private address')] },
    ])
    expect(text).not.toMatch(/s3cret|secret details/)
  })

  it('are for the admin key only, and 404 if the console was given none', async () => {
    const { alerts, fetch } = setUp()
    alerts.observe(targetDown('one'))
    await alerts.flush()
    for (const headers of [{}, { authorization: `Bearer ${callerKey}` }]) {
      const answer = await fetch('/console/api/alerts', { headers })
      expect([answer.status, (await answer.text()).includes('north')]).toEqual([401, false])
    }
    expect((await consoleService().api('/alerts')).status).toBe(404)
  })

  it('are no object without recent()', () => {
    expect(() => consoleService({ console: { alerts: {} as never } })).toThrow(/alerts: got/)
  })
})
