import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { responseCache } from '../../src/caching/response-cache.ts'
import type { Principal } from '../../src/contracts/principal.ts'
import { ConfigurationError } from '../../src/errors/configuration-error.ts'
import { budget } from '../../src/rate-limiting/rule.ts'
import { scripted, serving, whole } from '../support/scripted-gateway.ts'
import { scriptedLedger } from '../support/scripted-ledger.ts'

/** A row of a database, as an application returns it: it has more than a principal. */
const row = {
  id: 'ann',
  source: 'users',
  models: ['m'],
  tags: { team: 'search' },
  limits: [budget(1, 'usd').per('day')],
  storeResponses: false,
  passwordHash: 'secret-hash',
  [Symbol('session')]: 'secret-session',
}

class User {
  readonly passwordHash = 'secret-hash'
  readonly #name = 'ann'

  get id() {
    return this.#name
  }

  get tags() {
    return { team: 'search' }
  }
}

describe('a principal with an invalid member', () => {
  it.each([
    ['models', null],
    ['models', 'one,two'],
    ['tags', { team: 5 }],
    ['limits', null],
    ['id', 'ann\nGET /'],
  ])('lets nobody in, and the event says which: %s %j', async (name, value) => {
    const { target, signals } = scripted(() => whole('Hi'))
    const { post, ends } = serving(target, {
      authenticate: () => ({ id: 'ann', [name]: value }) as never,
    })
    const response = await post({})
    expect(response.status).toBe(500)
    expect(await response.text()).not.toMatch(/ann|principal/)
    const { error, principal } = ends()[0]!
    expect(principal).toBeUndefined()
    expect(ConfigurationError.is(error)).toBe(true)
    expect(String(error)).toMatch(
      new RegExp(`^ConfigurationError: The ${name} of the principal 'ann.*': .*got .+, expected .+\\.$`),
    )
    expect(signals).toHaveLength(0)
  })
})

describe('a principal with more members than its type has', () => {
  it.each<[string, Principal, object]>([
    [
      'a row',
      row,
      {
        id: 'ann',
        source: 'users',
        models: ['m'],
        tags: { team: 'search' },
        limits: row.limits,
        storeResponses: false,
      },
    ],
    ['an instance of a class', new User(), { id: 'ann', tags: { team: 'search' } }],
  ])('has none of them in an event, a record or a span: %s', async (_, principal, expected) => {
    const failing = scripted(() => Promise.reject(new Error('down')))
    const mirrored = scripted(() => whole('mirrored'))
    const main = scripted(() => whole('main'))
    const shadows = [{ ...mirrored.target, model: 'shadow' }]
    const recorded: unknown[] = []
    const ledger = scriptedLedger()
    const { post, events } = serving(main.target, {
      authenticate: () => principal,
      route: () => [{ ...failing.target, model: 'failing', shadows }, main.target],
      prices: () => 0.01,
      ledger,
      limits: [budget(1, 'usd').per('day')],
      bodies: { maxBytes: 1_000, wants: () => true, record: bodies => recorded.push(bodies) },
    })
    expect((await post({})).status).toBe(200)
    const types = ['begin', 'attempt_failed', 'discarded_call', 'budget', 'end']
    await expect.poll(() => events.map(({ type }) => type)).toEqual(expect.arrayContaining(types))
    for (const event of events) {
      if (event.type === 'end' || event.type === 'discarded_call') expect(event.principal).toEqual(expected)
    }
    const seen = inspect(
      { events, recorded, entries: ledger.entries, closings: ledger.closings },
      { depth: 20, showHidden: true },
    )
    expect(seen).toContain('search')
    expect(seen).not.toContain('secret')
  })

  it('is in events a copy: an observer cannot change it', async () => {
    const principal = { id: 'ann' }
    const { post, ends } = serving(scripted(() => whole('Hi')).target, { authenticate: () => principal })
    await post({})
    Object.assign(ends()[0]!.principal!, { id: 'eve' })
    expect(principal).toEqual({ id: 'ann' })
  })

  it('is the same object in functions of the user', async () => {
    const given: Record<string, unknown> = {}
    const { target } = scripted(() => whole('Hi'))
    const { post } = serving(target, {
      authenticate: () => row,
      authorize: principal => {
        given.authorize = principal
        return true
      },
      route: (_, { principal }) => {
        given.route = principal
        return [target]
      },
      hooks: [
        { name: 'own', onRequest: (_, { principal }) => void Object.assign(given, { hook: principal }) },
      ],
      limits: {
        enforcesPrincipalLimits: true,
        admit: principal => {
          given.limits = principal
          return { settle() {} }
        },
      },
      cache: responseCache({
        ttlMs: 1_000,
        cacheable: () => true,
        scope: principal => {
          given.cache = principal
          return principal.id
        },
      }),
    })
    expect((await post({})).status).toBe(200)
    expect(Object.keys(given)).toHaveLength(5)
    for (const [name, principal] of Object.entries(given)) expect(principal, name).toBe(row)
  })
})
