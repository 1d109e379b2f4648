import { apiKeys } from '@sluice/core'
import { openSqlite } from '@sluice/sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
import { scriptedLedger } from '../../../packages/core/test/support/scripted-ledger.ts'
import { overServers } from './harness/servers.ts'
import { startService } from './harness/service.ts'
import { upstreamDuring } from './harness/upstream.ts'

const forged = '0190a000-0000-7000-8000-000000000001'
const headers = {
  'x-request-id': forged,
  'idempotency-key': forged,
  'x-stainless-idempotency-key': forged,
  'x-correlation-id': forged,
  traceparent: '00-0190a000000070008000000000000001-0190a00000007000-01',
}
const named = { user: forged, metadata: { id: forged, request_id: forged } }

describe('F63 two callers name the same request id and the same idempotency key', () => {
  overServers(mount => {
    it.each([
      ['nothing that they send names one', false],
      ['nothing that they send names one, also where it is read', true],
    ])('and have a record, an answer and an id each: %s', async (_, clientRequestId) => {
      const database = await openSqlite({ url: ':memory:' })
      onTestFinished(() => database.close())
      const ledger = scriptedLedger(database.ledger)
      const upstream = await upstreamDuring()
      const { site, end } = await startService(mount, {
        models: { m: upstream },
        authenticate: apiKeys(['ann', 'bob'].map(id => ({ id, key: `key-of-${id}` }))),
        ledger,
        clientRequestId,
      })
      const callers = ['ann', 'bob', 'ann']
      const answers = await Promise.all(
        callers.map(id => site.chat({ model: 'm', ...named }, { key: `key-of-${id}`, headers })),
      )
      await end(callers.length)
      await database.ledger.flush?.()

      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
      expect(upstream.requests).toHaveLength(callers.length)
      expect(new Set(answers.map(answer => answer.headers['x-request-id'])).size).toBe(callers.length)
      const echoed = answers.map(answer => answer.headers['x-client-request-id'])
      expect(echoed).toEqual(callers.map(() => (clientRequestId ? forged : undefined)))
      const ids = ledger.entries.map(({ id }) => id)
      expect(new Set(ids).size).toBe(callers.length)
      // The end user is the caller's to name.
      expect(JSON.stringify(ledger.entries.map(({ user, ...rest }) => rest))).not.toContain(forged)
      const rows = await database.usage({ by: ['key'] })
      expect(
        rows.map(({ by, requests, promptTokens, open }) => [by.key, requests, promptTokens, open]),
      ).toEqual([
        ['ann', 2, 18, 0],
        ['bob', 1, 9, 0],
      ])
    })
  })
})
