import { chunks, sse, steps } from '@sluice/testing'
import { describe, expect, it } from 'vitest'
import { crowd, leaveAll } from './harness/crowd.ts'
import { watchLeftovers } from './harness/leftovers.ts'
import { overServers } from './harness/servers.ts'
import { startService } from './harness/service.ts'
import { upstreamDuring } from './harness/upstream.ts'

const many = 30
const begun = sse(chunks({ text: 'one two three' })).slice(0, 4)

describe('F28 the client leaves in mid stream', () => {
  overServers(mount => {
    it('leaves nothing behind after hundreds, and serves the next', async () => {
      const rounds = 12
      const upstream = await upstreamDuring(({ json }) =>
        json?.user === 'stays'
          ? steps.stream(sse(chunks({ text: 'still here' })))
          : [steps.stream(begun), steps.hang()],
      )
      const { site, end, leases } = await startService(mount, { models: { m: upstream } })
      await site.chat({ model: 'm', stream: true, user: 'stays' })
      const left = watchLeftovers()
      for (let round = 1; round <= rounds; round++) {
        const clients = await crowd(site, many, { model: 'm', stream: true })
        await Promise.all(clients.map(client => client.waitFor('two')))
        await leaveAll(clients)
        await end(round * many + 1)
      }
      await left.expectNone()
      // A call that is cut off closes its connection: at most the one that was idle before is left.
      expect(upstream.connections.open).toBeLessThanOrEqual(1)
      expect(leases.settled).toHaveLength(rounds * many + 1)
      upstream.respondWith(steps.answer({ text: 'after all' }))
      expect((await site.chat({ model: 'm', stream: true })).body).toContain('[DONE]')
    })
  })
})
