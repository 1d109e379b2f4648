import { describe, expect, it } from 'vitest'
import { apiKeys } from '../../src/auth/api-keys.ts'
import { firstOf } from '../../src/auth/first-of.ts'
import { keyStore } from '../../src/auth/issued-keys.ts'
import type { Authenticator } from '../../src/contracts/authenticator.ts'
import type { EndEvent } from '../../src/contracts/events.ts'
import { GatewayError } from '../../src/errors/errors.ts'
import { createGateway } from '../../src/gateway/gateway.ts'
import { models } from '../../src/routing/models.ts'
import { rowsInMemory } from '../support/rows-in-memory.ts'
import { scripted, whole } from '../support/scripted-gateway.ts'

function serving(authenticate: Authenticator) {
  const ends: EndEvent[] = []
  const gateway = createGateway({
    authenticate,
    route: models({ m: scripted(() => whole('Hi.')).target }),
    observe: event => {
      if (event.type === 'end') ends.push(event)
    },
  })
  const asking = (key: string | undefined) =>
    new Request('http://sluice.test/v1/chat/completions', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
      },
      body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hi' }] }),
    })
  return {
    explain: (key: string) => gateway.explain(asking(key)),
    /** All that a caller can see but for the request's id, and what the owner is told. */
    ask: async (key: string | undefined) => {
      const response = await gateway.fetch(asking(key))
      const { 'x-request-id': _, ...headers } = Object.fromEntries(response.headers)
      const outside = { status: response.status, headers, body: await response.text() }
      return { outside, failure: ends.at(-1)?.authFailure, event: ends.at(-1)! }
    },
  }
}

const now = () => 1_000_000
const listed = [
  { id: 'old', key: 'sk-old', expiresAt: 1_000_000 },
  { id: 'cut', key: 'sk-cut', disabled: true },
  { id: 'ann', key: 'sk-ann' },
]
const expected = {
  'sk-old': { reason: 'expired', id: 'old' },
  'sk-cut': { reason: 'disabled', id: 'cut' },
  'sk-none': { reason: 'unknown' },
}

describe('a key that is refused', () => {
  const inStore = new Map([
    ['old', { id: 'old', expiresAt: new Date(5) }],
    ['cut', { id: 'cut', disabled: true, expiresAt: 5 }],
  ])
  const sources: [string, Authenticator][] = [
    ['a list', apiKeys(listed, { now })],
    ['a function', apiKeys(digest => inStore.get(digests.get(digest) ?? ''), { now })],
    ['the second of two', firstOf(apiKeys([{ id: 'bob', key: 'sk-bob' }]), apiKeys(listed, { now }))],
    ['the first of two', firstOf(apiKeys(listed, { now }), () => undefined)],
  ]
  const digests = new Map<string, string>()

  it.each(sources)(
    'of %s is told apart in the event alone: unknown, expired or disabled',
    async (name, keys) => {
      if (name === 'a function') {
        const { hashApiKey } = await import('../../src/auth/key-digest.ts')
        for (const id of ['old', 'cut']) digests.set(hashApiKey(`sk-${id}`), id)
      }
      const { ask, explain } = serving(keys)
      const seen = new Set<string>()
      for (const [key, failure] of Object.entries(expected)) {
        const answer = await ask(key)
        seen.add(JSON.stringify(answer.outside))
        expect(answer.failure).toEqual(failure)
        expect(JSON.stringify(answer.event)).not.toContain(key)
        expect((await explain(key)).authFailure).toEqual(failure)
      }
      expect([...seen].map(text => JSON.parse(text))).toMatchObject([{ status: 401 }])
    },
  )

  it('is told of as missing where there is none, and not at all where it is good', async () => {
    const { ask } = serving(apiKeys(listed, { now }))
    expect((await ask(undefined)).failure).toEqual({ reason: 'missing' })
    expect((await ask('sk-ann')).failure).toBeUndefined()
  })

  it('that was issued is told apart too: its secret has ended, or all of it, or it is disabled', async () => {
    const clock = { at: 1_000 }
    const keys = keyStore(rowsInMemory(), { now: () => clock.at })
    const first = await keys.issue({ name: 'a', expiresAt: 50_000 })
    const { id } = first.stored
    const second = await keys.rotate(id, { overlapMs: 10_000 })
    const { ask } = serving(apiKeys(keys, { now: () => clock.at, cacheMs: 1 }))
    expect((await ask(first.key)).outside.status).toBe(200)
    clock.at = 20_000
    expect((await ask(first.key)).failure).toEqual({ reason: 'expired', id })
    expect((await ask(second.key)).outside.status).toBe(200)
    clock.at = 50_000
    expect((await ask(second.key)).failure).toEqual({ reason: 'expired', id })
    await keys.update(id, { disabled: true })
    clock.at = 60_000
    expect((await ask(second.key)).failure).toEqual({ reason: 'disabled', id })
    await keys.delete(id)
    clock.at = 70_000
    expect((await ask(second.key)).failure).toEqual({ reason: 'unknown' })
  })

  it('is told of by the most specific of several, whatever their order', async () => {
    const reporting =
      (reason: 'wrong_issuer' | 'expired'): Authenticator =>
      (_request, _host, report) => {
        report?.({ reason })
        return undefined
      }
    for (const order of [['wrong_issuer', 'expired'] as const, ['expired', 'wrong_issuer'] as const]) {
      const { ask } = serving(firstOf(...order.map(reporting)))
      expect((await ask('sk-x')).failure).toEqual({ reason: 'expired' })
    }
  })

  it('keeps the answer of an authenticator that throws its own 401', async () => {
    const own: Authenticator = () => {
      throw new GatewayError('invalid_api_key', { message: 'Ask the help desk.' })
    }
    const { ask } = serving(firstOf(apiKeys(listed, { now }), own))
    const [old, none] = [await ask('sk-old'), await ask('sk-none')]
    expect(old.outside).toEqual(none.outside)
    expect(old.outside.body).toContain('help desk')
    expect([old.failure, none.failure]).toEqual([expected['sk-old'], { reason: 'unknown' }])
  })

  it('is a 500 where an authenticator reports a reason that does not exist', async () => {
    const { ask } = serving((_request, _host, report) => {
      report?.({ reason: 'because' as never })
      return undefined
    })
    const { outside, failure } = await ask('sk-x')
    expect([outside.status, failure]).toEqual([500, undefined])
  })
})
