import { steps } from '@sluice/testing'
import { describe, expect, it } from 'vitest'
import { crowd } from './harness/crowd.ts'
import { lagDuring } from './harness/lag.ts'
import { overEveryServer } from './harness/servers.ts'
import { startService } from './harness/service.ts'
import { upstreamDuring } from './harness/upstream.ts'

const many = 30
const bytes = 5 * 1024 * 1024

describe('F84 thirty streams of 5 MB are left at once, and have to be counted', () => {
  overEveryServer(mount => {
    it('counts while it streams: the end of all does not hold up the process', async () => {
      const upstream = await upstreamDuring([steps.flood({ bytes }), steps.hang()])
      const { site, end, ends } = await startService(mount, {
        models: { m: upstream },
        timeouts: { idleMs: 60_000 },
      })
      const clients = await crowd(site, many, { model: 'm', stream: true })
      await Promise.all(clients.map(client => client.waitFor(bytes, 30_000)))
      const lag = lagDuring()
      for (const client of clients) client.reset()
      await end(many)
      await upstream.waitForIdle()
      expect(lag.most()).toBeLessThan(250)
      for (const event of ends) {
        expect(event).toMatchObject({ outcome: 'client_disconnected', usageEstimated: true })
        // Nearly all of the bytes are text, and about four characters make a token.
        expect(event.usage?.completion_tokens).toBeGreaterThan(1_000_000)
      }
    })
  })
})
