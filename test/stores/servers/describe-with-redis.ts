import { describe, it } from 'vitest'
import { redisPath } from './redis-server.ts'

/** A suite on real servers. Where there is no Redis it says so, and in CI it fails. */
export function describeWithRedis(name: string, suite: () => void): void {
  if (redisPath !== undefined) {
    describe(name, suite)
  } else if (process.env.CI === undefined) {
    console.warn(`There is no redis-server on this machine: not tested: ${name}`)
    describe.skipIf(true)(name, suite)
  } else {
    describe(name, () => {
      it('has a redis-server', () => {
        throw new Error('There is no redis-server on this machine.')
      })
    })
  }
}
