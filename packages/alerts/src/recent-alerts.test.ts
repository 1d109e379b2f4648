import type { BudgetEvent } from '@sluice/core'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { AlertsOptions } from './alerts-options.ts'
import { createAlerts } from './create-alerts.ts'
import { targetDown } from './fake-target-event.ts'
import { startReceiver, type WebhookReceiver } from './webhook-receiver.ts'

function alerting(options: AlertsOptions = {}) {
  const alerts = createAlerts(options)
  onTestFinished(() => alerts.close())
  return alerts
}

async function receiving(status = 204): Promise<WebhookReceiver> {
  const receiver = await startReceiver(response => response.writeHead(status).end())
  onTestFinished(() => receiver.close())
  return receiver
}

describe('recent alerts', () => {
  it('are none at first, and then the latest 100, newest first', async () => {
    const alerts = alerting()
    expect(alerts.recent()).toEqual([])
    for (let count = 1; count <= 103; count++) alerts.observe(targetDown(`model ${count}`))
    await alerts.flush()
    const recent = alerts.recent()
    expect(recent).toHaveLength(100)
    const newest = { kind: 'target_down', provider: 'north', model: 'model 103' }
    expect(recent[0]).toMatchObject({ alert: newest, delivery: 'no_webhooks', webhooks: 0, failures: [] })
    expect(recent.at(-1)).toMatchObject({ alert: { model: 'model 4' } })
    expect(JSON.stringify(recent)).not.toContain('secret')
  })

  it('have each alert once, as it is sent once', async () => {
    const alerts = alerting()
    const event = { type: 'budget', counter: 'c', subject: {}, window: 'day', limit: 10, spent: 6 } as const
    const budget: BudgetEvent = { ...event, rule: 'r', refused: false, dryRun: false }
    for (let left = 3; left > 0; left--) alerts.observe(budget)
    await alerts.flush()
    expect(alerts.recent()).toMatchObject([{ alert: { kind: 'budget', threshold: 0.5 } }])
  })

  it('are being sent, and then delivered', async () => {
    let accept = () => {}
    const receiver = await startReceiver(response => {
      accept = () => response.writeHead(204).end()
    })
    onTestFinished(() => receiver.close())
    const alerts = alerting({ webhooks: [{ url: receiver.url, allowPrivate: true }] })
    alerts.observe(targetDown('small'))
    await expect.poll(() => receiver.received.length).toBe(1)
    expect(alerts.recent()).toMatchObject([{ delivery: 'sending', webhooks: 1 }])
    accept()
    await alerts.flush()
    expect(alerts.recent()).toMatchObject([{ delivery: 'delivered', failures: [] }])
  })

  it('are delivered if one webhook has accepted them, and say why others have not', async () => {
    const [good, bad] = [await receiving(), await receiving(400)]
    const webhooks = [good, bad].map(({ url }) => ({ url, allowPrivate: true }))
    const alerts = alerting({ webhooks })
    alerts.observe(targetDown('small'))
    await alerts.flush()
    const failures = ['The webhook answered with 400.']
    expect(alerts.recent()).toMatchObject([{ delivery: 'delivered', webhooks: 2, failures }])
  })

  it('have failed if no webhook has accepted them, without its URL', async () => {
    const alerts = alerting({ webhooks: [{ url: 'http://127.0.0.1:9/s3cret' }] })
    alerts.observe(targetDown('small'))
    await alerts.flush()
    const failures = ['The webhook has a private address. Set allowPrivate to call it.']
    expect(alerts.recent()).toMatchObject([{ delivery: 'failed', webhooks: 1, failures }])
    expect(JSON.stringify(alerts.recent())).not.toContain('s3cret')
  })
})
