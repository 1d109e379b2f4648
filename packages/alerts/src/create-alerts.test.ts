import { createHmac } from 'node:crypto'
import type { BudgetEvent, EndEvent, TargetEvent } from '@sluice/core'
import { type AlertStore, memoryCacheStore } from '@sluice/core/store'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Alert } from './alert.ts'
import type { AlertFailure, AlertsOptions, WebhookOptions } from './alerts-options.ts'
import { createAlerts } from './create-alerts.ts'
import { startReceiver } from './webhook-receiver.ts'

const secret = 'a-secret-of-the-webhook'

const budgetEvent = (spent: number, more: Partial<BudgetEvent> = {}): BudgetEvent => ({
  type: 'budget',
  rule: "budget(10, 'usd').per('day')",
  counter: 'budget/usd/day:key=ann',
  subject: { key: 'ann' },
  window: 'day',
  limit: 10,
  spent,
  refused: false,
  dryRun: false,
  ...more,
})
const endEvent = (outcome: EndEvent['outcome'], total = 10): EndEvent =>
  ({ type: 'end', outcome, timings: { queue: 0, firstByte: 1, total }, replayed: false }) as EndEvent
const targetEvent = (state: TargetEvent['state'], more: Partial<TargetEvent> = {}): TargetEvent => ({
  type: 'target',
  provider: 'north',
  model: 'small',
  state,
  waitMs: 5,
  reason: 'overloaded',
  scope: state === 'closed' ? undefined : 'all',
  unavailableMs: 0,
  error: new Error('secret details'),
  ...more,
})

function alerting(options: AlertsOptions = {}) {
  const sent: Alert[] = []
  const failures: AlertFailure[] = []
  const alerts = createAlerts({
    onAlert: alert => sent.push(alert),
    onFailure: failure => failures.push(failure),
    ...options,
  })
  onTestFinished(() => alerts.close())
  return { alerts, sent, failures }
}

async function receiving(answer?: Parameters<typeof startReceiver>[0], more: Partial<WebhookOptions> = {}) {
  const receiver = await startReceiver(answer)
  onTestFinished(() => receiver.close())
  const webhook = { url: receiver.url, allowPrivate: true, backoffMs: 1, secret, ...more }
  return { ...alerting({ webhooks: [webhook] }), receiver }
}

describe('a budget', () => {
  it('is an alert once per threshold and window', async () => {
    const { alerts, sent } = alerting()
    for (const spent of [1, 4.9, 5, 6, 7.9, 8, 8.1, 9.99, 10, 12]) {
      alerts.observe(budgetEvent(spent))
      await alerts.flush()
    }
    expect(sent).toMatchObject([0.5, 0.8, 1].map(threshold => ({ kind: 'budget', threshold })))
    expect(sent[1]).toMatchObject({ spent: 8, limit: 10, subject: { key: 'ann' }, window: 'day' })
    expect(sent[1]?.text).toBe(
      "80 % of the budget of key ann of this day is spent: $8.00 of $10.00 (budget(10, 'usd').per('day')).",
    )
  })

  it('is one alert, of the highest threshold, where it passes several at once', async () => {
    const { alerts, sent } = alerting()
    alerts.observe(budgetEvent(9))
    await alerts.flush()
    alerts.observe(budgetEvent(9))
    await alerts.flush()
    expect(sent).toMatchObject([{ threshold: 0.8 }])
  })

  it('is used up where it refuses a request', async () => {
    const { alerts, sent } = alerting()
    alerts.observe(budgetEvent(9.5, { refused: true }))
    await alerts.flush()
    expect(sent).toMatchObject([{ threshold: 1, spent: 9.5, refused: true }])
    expect(sent[0]?.text).toContain('Requests are refused, as too little is left of the budget of key ann')
  })

  it('is one of its rule and who shares it, and another once it is raised', async () => {
    const { alerts, sent } = alerting()
    alerts.observe(budgetEvent(6))
    alerts.observe(budgetEvent(6, { counter: 'other', subject: { 'tag:team': 'search' } }))
    alerts.observe(budgetEvent(12, { limit: 20 }))
    await alerts.flush()
    expect(sent).toHaveLength(3)
  })

  it('of end users is none, unless that is wanted: callers choose their names', async () => {
    const users = Array.from({ length: 50 }, (_, at) =>
      budgetEvent(10, { counter: `user=${at}`, subject: { key: 'ann', user: `u${at}` } }),
    )
    const off = alerting()
    for (const event of users) off.alerts.observe(event)
    const on = alerting({ budgets: { users: true, thresholds: [1] } })
    for (const event of users) on.alerts.observe(event)
    await Promise.all([off.alerts.flush(), on.alerts.flush()])
    expect([off.sent.length, on.sent.length]).toEqual([0, 50])
  })

  it('is none where it is off', async () => {
    const { alerts, sent } = alerting({ budgets: false })
    alerts.observe(budgetEvent(10))
    await alerts.flush()
    expect(sent).toEqual([])
  })

  it('cannot forge a line or a link by a name', async () => {
    const { alerts, sent } = alerting()
    const name = `<https://x.test|click> \n*bold* <!channel>${'x'.repeat(500)}`
    alerts.observe(budgetEvent(10, { subject: { key: name } }))
    await alerts.flush()
    expect(sent[0]?.text).not.toMatch(/[<>\n]/)
    expect(sent[0]!.text.length).toBeLessThan(400)
  })
})

describe('failed and slow requests', () => {
  it('are an alert above their share, once per window, and not of few requests', async () => {
    const { alerts, sent } = alerting({ errorRate: { above: 0.1, minRequests: 10 } })
    const observe = (...outcomes: EndEvent['outcome'][]) => {
      for (const outcome of outcomes) alerts.observe(endEvent(outcome))
    }
    observe('upstream_failed', 'refused', 'client_disconnected', ...Array<'completed'>(9).fill('completed'))
    await alerts.flush()
    expect(sent).toEqual([])
    observe('internal_error', 'internal_error')
    await alerts.flush()
    expect(sent).toMatchObject([{ kind: 'error_rate', requests: 11, rate: 2 / 11 }])
    expect(sent[0]?.text).toBe('18.2 % of 11 requests in 5 min failed.')
  })

  it('are an alert where more than a twentieth is slower', async () => {
    const { alerts, sent } = alerting({ latency: { p95Ms: 100, minRequests: 20, windowMs: 86_400_000 } })
    alerts.observe(endEvent('completed', 500))
    for (let left = 19; left > 0; left--) alerts.observe(endEvent('completed', 100))
    await alerts.flush()
    expect(sent).toEqual([])
    alerts.observe(endEvent('completed', 101))
    await alerts.flush()
    expect(sent).toMatchObject([{ kind: 'latency', p95Ms: 100, requests: 21, slower: 2 / 21 }])
  })
})

describe('a target', () => {
  it('is an alert when its circuit breaker opens for all, once per hour', async () => {
    const { alerts, sent } = alerting({ recoveries: false })
    for (const event of [
      targetEvent('cooldown'),
      targetEvent('open', { scope: 'principal' }),
      targetEvent('open'),
      targetEvent('half_open'),
      targetEvent('open'),
      targetEvent('closed'),
      targetEvent('open', { model: 'large' }),
    ])
      alerts.observe(event)
    await alerts.flush()
    expect(sent).toMatchObject([
      { kind: 'target_down', provider: 'north', model: 'small', reason: 'overloaded', scope: 'all' },
      { model: 'large' },
    ])
    expect(JSON.stringify(sent)).not.toContain('secret details')
  })
})

/** Sets the date that alerts and a store go by. */
function dated(now = 1_795_770_000_000) {
  vi.useFakeTimers({ toFake: ['Date'], now })
  onTestFinished(() => void vi.useRealTimers())
  return {
    store: () => memoryCacheStore({ now: () => Date.now() }),
    pass: (ms: number) => vi.setSystemTime(Date.now() + ms),
  }
}

describe('a target that recovers', () => {
  it('is an alert once its circuit breaker is closed, after the one that it is down', async () => {
    const { alerts, sent } = alerting()
    const events = ['open', 'half_open', 'open', 'half_open', 'closed', 'closed'] as const
    for (const state of events) {
      alerts.observe(targetEvent(state, { unavailableMs: 93_400 }))
      await alerts.flush()
    }
    expect(sent.map(({ kind }) => kind)).toEqual(['target_down', 'target_recovered'])
    expect(sent[1]).toMatchObject({ provider: 'north', model: 'small', unavailableMs: 93_400 })
    expect(sent[1]?.text).toBe(
      'The target north/small has recovered: its circuit breaker is closed after 94 s.',
    )
  })

  it('is none if it was only in cooldown, or open for one principal', async () => {
    const { alerts, sent } = alerting()
    for (const event of [
      targetEvent('cooldown'),
      targetEvent('closed'),
      targetEvent('open', { scope: 'principal' }),
      targetEvent('closed'),
    ])
      alerts.observe(event)
    await alerts.flush()
    expect(sent).toEqual([])
  })

  it('is one if it was open for one principal, whose probe failed too', async () => {
    const { alerts, sent } = alerting()
    const principal = { scope: 'principal' } as const
    for (const state of ['open', 'half_open', 'open', 'half_open', 'open'] as const)
      alerts.observe(targetEvent(state, principal))
    alerts.observe(targetEvent('closed'))
    // Others were answered: what was before does not count.
    alerts.observe(targetEvent('open', { ...principal, model: 'large' }))
    alerts.observe(targetEvent('half_open', { ...principal, model: 'large' }))
    alerts.observe(targetEvent('closed', { model: 'large' }))
    alerts.observe(targetEvent('open', { ...principal, model: 'large' }))
    // It may be that its caller made up the name.
    for (const state of ['open', 'half_open', 'open', 'closed'] as const)
      alerts.observe(targetEvent(state, { ...principal, model: 'made-up', unlisted: true }))
    await alerts.flush()
    expect(sent).toMatchObject([
      { kind: 'target_down', model: 'small', scope: 'principal' },
      { kind: 'target_recovered', model: 'small' },
    ])
    expect(sent[0]?.text).toBe(
      'The target north/small is down: its circuit breaker is open for one caller, and no other was answered (overloaded).',
    )
  })

  it('is none where that is off', async () => {
    const { alerts, sent } = alerting({ recoveries: false })
    for (const state of ['open', 'closed'] as const) alerts.observe(targetEvent(state))
    await alerts.flush()
    expect(sent).toMatchObject([{ kind: 'target_down' }])
  })

  it('is an alert again if it is down five minutes later, and not at once', async () => {
    const { store, pass } = dated()
    const { alerts, sent } = alerting({ store: store() })
    const observe = async (...states: TargetEvent['state'][]) => {
      for (const state of states) {
        alerts.observe(targetEvent(state))
        await alerts.flush()
      }
      return sent.splice(0).map(({ kind }) => kind)
    }
    expect(await observe('open', 'closed')).toEqual(['target_down', 'target_recovered'])
    expect(await observe('open', 'closed')).toEqual([])
    expect(await observe('open')).toEqual([])
    pass(300_001)
    expect(await observe('half_open', 'open', 'closed')).toEqual(['target_down', 'target_recovered'])
  })

  it('does not overtake the alert that it is down', async () => {
    const { alerts, receiver } = await receiving((response, count) => {
      if (count === 1) setTimeout(() => response.writeHead(204).end(), 50)
      else response.writeHead(204).end()
    })
    for (const state of ['open', 'closed'] as const) alerts.observe(targetEvent(state))
    await alerts.flush()
    const kinds = receiver.received.map(({ body }) => JSON.parse(body).kind)
    expect(kinds).toEqual(['target_down', 'target_recovered'])
  })

  it('is none if no alert was sent before', async () => {
    const { alerts, receiver } = await receiving((response, count) =>
      response.writeHead(count === 1 ? 400 : 204).end(),
    )
    for (const state of ['open', 'closed'] as const) alerts.observe(targetEvent(state))
    await alerts.flush()
    expect(receiver.received).toHaveLength(1)
  })

  it('cannot forge a line or a link by a name', async () => {
    const { alerts, sent } = alerting()
    const model = '<https://x.test|click>\n<!channel>'
    for (const state of ['open', 'closed'] as const) alerts.observe(targetEvent(state, { model }))
    await alerts.flush()
    expect(sent.map(({ kind }) => kind)).toEqual(['target_down', 'target_recovered'])
    for (const { text } of sent) expect(text).not.toMatch(/[<>\n]/)
  })
})

describe('an error rate and a latency that recover', () => {
  const minRequests = 10
  const windowMs = 60_000
  const options = {
    errorRate: { above: 0.1, minRequests, windowMs },
    latency: { p95Ms: 100, minRequests, windowMs },
  }

  it('are an alert once a whole window is below the bound', async () => {
    const { store, pass } = dated()
    const { alerts, sent } = alerting({ ...options, store: store() })
    const observe = async (outcome: EndEvent['outcome'], count: number, ms = 10) => {
      for (let left = count; left > 0; left--) alerts.observe(endEvent(outcome, ms))
      await alerts.flush()
      return sent.splice(0).map(({ kind, text }) => `${kind}: ${text}`)
    }
    expect(await observe('upstream_failed', 10)).toEqual([
      'error_rate: 100 % of 10 requests in 1 min failed.',
    ])
    // A window in which the rate was above, one with too few requests, and one that is not over yet.
    expect(await observe('completed', 200)).toEqual([])
    pass(windowMs)
    expect(await observe('completed', 9)).toEqual([])
    pass(windowMs)
    expect(await observe('completed', 50)).toEqual([])
    pass(windowMs)
    expect(await observe('completed', 1)).toEqual([
      'error_rate_recovered: The error rate has recovered: 0 % of 50 requests in 1 min failed.',
    ])
    pass(windowMs)
    expect(await observe('completed', 50)).toEqual([])
    pass(windowMs)
    expect(await observe('completed', 11, 101)).toMatchObject([expect.stringMatching(/^latency: /)])
    pass(windowMs)
    expect(await observe('completed', 40)).toEqual([])
    pass(windowMs)
    expect(await observe('completed', 1)).toEqual([
      'latency_recovered: Latency has recovered: 0 % of 40 requests in 1 min took longer than 100 ms.',
    ])
  })

  it('are none while another window is above the bound, or where that is off', async () => {
    const { store, pass } = dated()
    const on = alerting({ ...options, store: store() })
    const off = alerting({ ...options, store: store(), recoveries: false })
    for (let window = 0; window < 3; window++) {
      for (const { alerts } of [on, off]) {
        for (let left = 10; left > 0; left--) alerts.observe(endEvent('upstream_failed'))
        await alerts.flush()
      }
      pass(windowMs)
    }
    expect(on.sent.map(({ kind }) => kind)).toEqual(['error_rate', 'error_rate', 'error_rate'])
    for (let window = 0; window < 2; window++) {
      for (const { alerts } of [on, off]) {
        for (let left = 10; left > 0; left--) alerts.observe(endEvent('completed'))
        await alerts.flush()
      }
      pass(windowMs)
    }
    expect(on.sent.slice(3).map(({ kind }) => kind)).toEqual(['error_rate_recovered'])
    expect(off.sent).toHaveLength(3)
  })

  it('of several processes are an alert once, and not while one of them is above the bound', async () => {
    const { store, pass } = dated()
    const shared = store()
    const all = Array.from({ length: 3 }, () => alerting({ ...options, store: shared }))
    const [first, second, third] = all as [(typeof all)[0], (typeof all)[0], (typeof all)[0]]
    const window = async (...outcomes: readonly EndEvent['outcome'][]) => {
      for (const [index, outcome] of outcomes.entries()) {
        for (let left = 10; left > 0; left--) all[index]!.alerts.observe(endEvent(outcome))
      }
      await Promise.all(all.map(({ alerts }) => alerts.flush()))
      pass(windowMs)
      return [first, second, third].flatMap(({ sent }) => sent.splice(0)).map(({ kind }) => kind)
    }
    expect(await window('upstream_failed', 'upstream_failed', 'completed')).toEqual(['error_rate'])
    expect(await window('completed', 'upstream_failed', 'completed')).toEqual(['error_rate'])
    expect(await window('completed', 'completed', 'completed')).toEqual([])
    expect(await window('completed', 'completed', 'completed')).toEqual(['error_rate_recovered'])
    expect(await window('completed', 'completed', 'completed')).toEqual([])
  })
})

describe('a webhook', () => {
  it('gets the alert as JSON with a text, signed with its time', async () => {
    const { alerts, receiver, sent } = await receiving()
    alerts.observe(budgetEvent(8))
    await alerts.flush()
    expect(receiver.received).toHaveLength(1)
    const { headers, body } = receiver.received[0]!
    expect(JSON.parse(body)).toEqual(sent[0])
    expect(headers).toMatchObject({ 'content-type': 'application/json', 'x-sluice-alert-id': sent[0]!.id })
    const time = headers['x-sluice-timestamp']
    const digest = createHmac('sha256', secret).update(`${time}.${body}`).digest('hex')
    expect(headers['x-sluice-signature']).toBe(`v1=${digest}`)
    expect(Math.abs(Number(time) * 1_000 - Date.now())).toBeLessThan(10_000)
  })

  it.each([500, 503, 429, 408])('is tried again after %i', async status => {
    const { alerts, receiver, failures } = await receiving((response, count) => {
      response.writeHead(count < 3 ? status : 200).end('x')
    })
    alerts.observe(budgetEvent(8))
    await alerts.flush()
    expect(receiver.received).toHaveLength(3)
    expect(new Set(receiver.received.map(({ headers }) => headers['x-sluice-alert-id'])).size).toBe(1)
    expect(failures).toEqual([])
  })

  it.each([400, 401, 404, 410])('is not tried again after %i', async status => {
    const { alerts, receiver, failures } = await receiving(response => response.writeHead(status).end())
    alerts.observe(budgetEvent(8))
    await alerts.flush()
    expect(receiver.received).toHaveLength(1)
    expect(failures).toEqual([{ kind: 'budget', reason: `The webhook answered with ${status}.` }])
  })

  it('is not followed elsewhere', async () => {
    const other = await startReceiver()
    onTestFinished(() => other.close())
    const { alerts, receiver, failures } = await receiving(response =>
      response.writeHead(307, { location: other.url }).end(),
    )
    alerts.observe(budgetEvent(8))
    await alerts.flush()
    expect([receiver.received.length, other.received.length]).toEqual([1, 0])
    expect(failures).toMatchObject([{ reason: 'The webhook answered with 307.' }])
  })

  it('is given up after four attempts where nobody listens, and reported without its URL', async () => {
    const receiver = await startReceiver()
    await receiver.close()
    const webhook = { url: `${receiver.url}?token=s3cret`, allowPrivate: true, backoffMs: 1, secret }
    const { alerts, failures, sent } = alerting({ webhooks: [webhook] })
    alerts.observe(budgetEvent(8))
    await alerts.flush()
    expect(sent).toHaveLength(1)
    expect(failures).toEqual([{ kind: 'budget', reason: 'The webhook could not be reached (ECONNREFUSED).' }])
  })

  it('is cut off where it is slow', async () => {
    const { alerts, receiver, failures } = await receiving(() => {}, { timeoutMs: 20, deadlineMs: 200 })
    alerts.observe(budgetEvent(8))
    await alerts.flush()
    expect(receiver.received.length).toBeGreaterThan(1)
    expect(failures).toMatchObject([{ reason: expect.stringMatching(/did not answer within \d+ ms/) }])
  })

  it('may answer with anything, of any length', async () => {
    const { alerts, failures } = await receiving(response => {
      response.writeHead(200)
      const write = () => {
        while (!response.destroyed && response.write('\u0000<garbage>'.repeat(10_000))) {}
        if (!response.destroyed) response.once('drain', write)
      }
      write()
    })
    alerts.observe(budgetEvent(8))
    await alerts.flush()
    expect(failures).toEqual([])
  })

  it.each([
    'http://127.0.0.1:1/x',
    'http://[::1]:1/',
    'http://10.1.2.3/',
    'http://169.254.169.254/',
    'http://localhost:1/',
  ])('is not called at the private address %s', async url => {
    const { alerts, failures } = alerting({ webhooks: [{ url }] })
    alerts.observe(budgetEvent(8))
    await alerts.flush()
    expect(failures).toEqual([
      { kind: 'budget', reason: 'The webhook has a private address. Set allowPrivate to call it.' },
    ])
  })

  it('that fails holds nothing up: what waits is bounded, and the rest is reported', async () => {
    const receiver = await startReceiver(() => {})
    onTestFinished(() => receiver.close())
    const webhook = { url: receiver.url, allowPrivate: true, deadlineMs: 50 }
    const { alerts, failures } = alerting({ webhooks: [webhook], maxQueued: 10 })
    for (let at = 0; at < 100; at++) alerts.observe(budgetEvent(8, { counter: `c${at}` }))
    expect(failures).toHaveLength(100 - 10 - 4)
    await alerts.close()
    alerts.observe(budgetEvent(8))
    expect(new Set(failures.map(({ kind }) => kind))).toEqual(new Set(['budget']))
  })
})

describe('several processes', () => {
  const instances = (store: AlertStore, webhook: WebhookOptions) =>
    Array.from({ length: 8 }, () => alerting({ store, webhooks: [webhook] }))

  it('send an alert once, whoever sees it first', async () => {
    const receiver = await startReceiver()
    onTestFinished(() => receiver.close())
    const all = instances(memoryCacheStore(), { url: receiver.url, allowPrivate: true })
    for (const spent of [5, 8, 10]) {
      for (const { alerts } of all) alerts.observe(budgetEvent(spent))
      await Promise.all(all.map(({ alerts }) => alerts.flush()))
    }
    const thresholds = receiver.received.map(({ body }) => JSON.parse(body).threshold)
    expect(thresholds).toEqual([0.5, 0.8, 1])
  })

  it('send it if the one that tried has failed', async () => {
    const receiver = await startReceiver((response, count) =>
      response.writeHead(count === 1 ? 400 : 200).end(),
    )
    onTestFinished(() => receiver.close())
    const store = memoryCacheStore()
    const [first, second] = instances(store, { url: receiver.url, allowPrivate: true })
    first!.alerts.observe(budgetEvent(8))
    await first!.alerts.flush()
    second!.alerts.observe(budgetEvent(8))
    await second!.alerts.flush()
    expect([first!.failures.length, second!.failures.length]).toEqual([1, 0])
    expect(receiver.received).toHaveLength(2)
  })

  it('send a recovery once, whoever sees it first', async () => {
    const receiver = await startReceiver()
    onTestFinished(() => receiver.close())
    const all = instances(memoryCacheStore(), { url: receiver.url, allowPrivate: true })
    for (const state of ['open', 'closed'] as const) {
      for (const { alerts } of all) alerts.observe(targetEvent(state))
      await Promise.all(all.map(({ alerts }) => alerts.flush()))
    }
    const kinds = receiver.received.map(({ body }) => JSON.parse(body).kind)
    expect(kinds).toEqual(['target_down', 'target_recovered'])
  })

  it('send a recovery each for themselves if the store did not respond when the target was down', async () => {
    const memory = memoryCacheStore()
    let isAway = true
    const away =
      <Args extends unknown[], T>(run: (...args: Args) => T) =>
      async (...args: Args) => {
        if (isAway) throw new Error('away')
        return run(...args)
      }
    const store: AlertStore = { add: away(memory.add), replace: away(memory.replace) }
    const { alerts, sent } = alerting({ store })
    alerts.observe(targetEvent('open'))
    await alerts.flush()
    isAway = false
    alerts.observe(targetEvent('closed'))
    await alerts.flush()
    expect(sent.map(({ kind }) => kind)).toEqual(['target_down', 'target_recovered'])
  })

  it('send it each for themselves while the store does not respond, and say so', async () => {
    const fails = () => Promise.reject(new Error('away'))
    const store: AlertStore = { add: fails, replace: fails }
    const { alerts, sent, failures } = alerting({ store })
    alerts.observe(budgetEvent(5))
    await alerts.flush()
    alerts.observe(budgetEvent(5))
    await alerts.flush()
    expect(sent).toHaveLength(1)
    expect(failures[0]).toEqual({ kind: 'store', reason: 'The store of alerts does not respond.' })
  })
})

describe('createAlerts', () => {
  it('lists what is wrong, and shows no URL and no secret', () => {
    const wrong = {
      webhooks: [
        { url: 'ftp://s3cret.test', secret: 's3cret' },
        { url: 'https://me:s3cret@x.test', headers: { 'a b': 'c' }, timeoutMs: 0 },
        { url: 'https://x.test', retries: 3 },
        's3cret',
      ],
      store: {},
      budgets: { thresholds: [0, 2] },
      errorRate: { above: 1 },
      latency: { p95Ms: -1, windowMs: 0.5 },
      targets: 'yes',
      recoveries: 1,
      maxQueued: 0,
      onAlert: 1,
      colour: 1,
    }
    const message = (() => {
      try {
        createAlerts(wrong as never)
      } catch (error) {
        return String((error as Error).message)
      }
      return ''
    })()
    for (const name of [
      'webhooks[0].url',
      'webhooks[0].secret',
      'webhooks[1].url',
      'webhooks[1].headers',
      'webhooks[1].timeoutMs',
      'webhooks[2].retries',
      'webhooks[3]',
      'store',
      'budgets.thresholds',
      'errorRate.above',
      'latency.p95Ms',
      'latency.windowMs',
      'targets',
      'recoveries',
      'maxQueued',
      'onAlert',
      'colour',
    ])
      expect(message).toContain(`${name}:`)
    expect(message).not.toContain('s3cret')
  })
})
