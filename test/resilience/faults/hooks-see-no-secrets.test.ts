import { apiKeys, type GatewayEvent, models, type Pepper } from '@sluice/core'
import { hashApiKey } from '@sluice/core/keys'
import { openaiCompatible } from '@sluice/providers'
import { steps } from '@sluice/testing'
import { describe, expect, it } from 'vitest'
import { overServers } from './harness/servers.ts'
import { startService, upstreamKey } from './harness/service.ts'
import { printed, tracesOf } from './harness/traces.ts'
import { upstreamDuring } from './harness/upstream.ts'

const callerKey = 'sk-caller-canary-81f2a7'
const cookie = 'session=canary-cookie-553'
const pepper: Pepper = { v1: 'canary-pepper-9b07d1' }
const digest = hashApiKey(callerKey, pepper)
const row = {
  id: 'ann',
  tags: { plan: 'gold' },
  hash: digest,
  key_hash: digest,
  owner: 'canary-owner-column',
}

/** Everything that a function was called with, one after the other. */
interface Seen {
  readonly route: unknown[]
  readonly authorize: unknown[]
}

describe("F78 the user's functions are handed keys and headers that they do not need", () => {
  overServers(mount => {
    it.each([
      ['an answer', 200],
      ['a refusal', 401],
      ['a fault of the request', 400],
    ])('%s: routes, authorizers and observers get none', async (_, status) => {
      const refusal = steps.reply({ error: { message: `Wrong: ${upstreamKey}` } }, { status })
      const upstream = await upstreamDuring(status === 200 ? steps.answer() : refusal)
      const seen: Seen = { route: [], authorize: [] }
      const vendor = openaiCompatible({ name: 'vendor', baseURL: upstream.baseURL, apiKey: upstreamKey })
      const table = models({ m: vendor('its-model') })
      const { site, end, events } = await startService(mount, {
        models: { m: upstream },
        authenticate: apiKeys(found => (found === digest ? row : undefined), { pepper }),
        route: (...given) => {
          seen.route.push(given)
          return table(...given)
        },
        authorize: (...given) => {
          seen.authorize.push(given)
          return true
        },
      })
      await site.chat({ model: 'm' }, { key: callerKey, headers: { cookie, 'x-forwarded-for': '10.1.2.3' } })
      const { principal } = await end()
      expect(principal).toEqual({ id: 'ann', source: 'api_keys', tags: { plan: 'gold' } })
      expect(seen.route).toHaveLength(1)
      expect(seen.authorize).toHaveLength(1)
      const all = printed([seen, events])
      expect(all).toContain('ann')
      for (const secret of [callerKey, cookie, digest, pepper.v1 ?? '', upstreamKey, 'canary-owner-column'])
        expect(tracesOf(secret, all), secret).toEqual([])
      expect(all).not.toMatch(/10\.1\.2\.3|headers|authorization/i)
    })

    it('an event names what happened, and nothing of the request or the answer', async () => {
      const upstream = await upstreamDuring()
      const { site, end, events } = await startService(mount, { models: { m: upstream } })
      await site.chat({ model: 'm', stream: true, messages: [{ role: 'user', content: 'canary-prompt' }] })
      await end()
      const fields = events.map((event: GatewayEvent) => Object.keys(event).sort())
      expect(fields).toEqual([
        [
          'at',
          'clientRequestId',
          'dialect',
          'model',
          'operation',
          'principal',
          'requestId',
          'stream',
          'type',
        ],
        [
          'adjustments',
          'at',
          'attempts',
          'authFailure',
          'cache',
          'clientRequestId',
          'cost',
          'dialect',
          'error',
          'model',
          'operation',
          'outcome',
          'principal',
          'replayed',
          'requestId',
          'responseModel',
          'status',
          'stream',
          'timings',
          'trace',
          'type',
          'usage',
          'usageEstimated',
          'user',
          'wouldHaveRefused',
        ],
      ])
      expect(printed(events)).not.toMatch(/canary-prompt|Hello/)
    })
  })
})
