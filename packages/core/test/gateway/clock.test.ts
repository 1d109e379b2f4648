import { describe, expect, it, vi } from 'vitest'
import { batchedLedger } from '../../src/accounting/batched-ledger.ts'
import { apiKeys } from '../../src/auth/api-keys.ts'
import { ConfigurationError } from '../../src/errors/configuration-error.ts'
import { createGateway } from '../../src/gateway/gateway.ts'
import { limits } from '../../src/rate-limiting/limits.ts'
import { requests } from '../../src/rate-limiting/rule.ts'
import { models } from '../../src/routing/models.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { forever, scripted, serving, whole } from '../support/scripted-gateway.ts'

const never = new Promise<never>(() => {})

describe('the clock of an option', () => {
  it('sets the deadlines of upstream calls and the dates of events', async () => {
    const clock = new ManualClock()
    await clock.pass(5_000)
    const { target } = scripted(forever)
    const { post, ends } = serving(target, { clock, timeouts: { responseMs: 2_000 } })
    const pending = post({})
    await clock.pass(2_000)
    expect((await pending).status).toBe(504)
    expect(ends()[0]).toMatchObject({ at: 5_000, timings: { total: 2_000 } })
  })

  it('is that of rules and their default store', async () => {
    const clock = new ManualClock()
    const { target } = scripted(() => whole('Hi'))
    const { post } = serving(target, { clock, limits: requests(1).per('minute') })
    expect((await post({})).status).toBe(200)
    expect((await post({})).status).toBe(429)
    await clock.pass(60_000)
    expect((await post({})).status).toBe(200)
  })

  it('counts locally while a store fails', async () => {
    const clock = new ManualClock()
    const store = { admit: () => never, settle: () => never, renew: () => never }
    const { target } = scripted(() => whole('Hi'))
    const rules = limits([requests(1).per('minute')], { store, clock })
    const { post } = serving(target, { clock, limits: rules })
    const answer = async () => {
      const pending = post({})
      await clock.pass(60)
      return (await pending).status
    }
    expect(await answer()).toBe(200)
    expect(await answer()).toBe(429)
    await clock.pass(60_000)
    expect(await answer()).toBe(200)
  })

  it('ends a wait for limits', async () => {
    const clock = new ManualClock()
    const rules = limits([requests(1).per('second')], { clock, wait: { maxMs: 5_000, maxQueued: 5 } })
    const { target } = scripted(() => whole('Hi'))
    const { post } = serving(target, { clock, limits: rules })
    expect((await post({})).status).toBe(200)
    const second = post({})
    await clock.pass(1_100)
    expect((await second).status).toBe(200)
  })

  it('ends a lookup of a key, and its cache', async () => {
    const clock = new ManualClock()
    const find = vi.fn(async (): Promise<undefined> => undefined)
    const authenticate = apiKeys({ find }, { clock })
    const { target } = scripted(() => whole('Hi'))
    const { post } = serving(target, { clock, authenticate })
    const asked = { headers: { authorization: 'Bearer sk-a', 'content-type': 'application/json' } }
    await post({}, asked)
    await post({}, asked)
    expect(find).toHaveBeenCalledTimes(1)
    await clock.pass(5_000)
    find.mockImplementation(() => never)
    const pending = post({}, asked)
    await clock.pass(250)
    expect((await pending).status).toBe(503)
  })

  it('ends a write of a ledger', async () => {
    const clock = new ManualClock()
    const rows = { write: () => never, closeOrphans: async () => 0, usage: async () => [] }
    const events: unknown[] = []
    const ledger = batchedLedger(rows, { clock, observe: event => events.push(event) })
    const { target } = scripted(() => whole('Hi'))
    const { post } = serving(target, { clock, ledger })
    const pending = post({})
    await clock.pass(250)
    expect((await pending).status).toBe(200)
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'store', store: 'ledger', state: 'failing' }),
    )
  })

  it('is checked', () => {
    const clock = { now: () => 0 } as never
    const route = models({ m: scripted(() => whole('Hi')).target })
    expect(() => createGateway({ authenticate: () => undefined, route, clock })).toThrow(ConfigurationError)
    expect(() => limits([], { clock })).toThrow(/clock/)
    expect(() => apiKeys([], { clock })).toThrow(/clock/)
    const rows = { write: async () => {}, closeOrphans: async () => 0, usage: async () => [] }
    expect(() => batchedLedger(rows, { clock })).toThrow(/clock/)
  })
})
