import { limits, requests } from '@sluice/core'
import { type LimitStore, memoryLimitStore } from '@sluice/core/limits'
import { local } from '@sluice/providers'
import { redisCacheStore, redisLimitStore } from '@sluice/redis'
import { afterEach, describe, expect, it } from 'vitest'
import { chatDraft } from '../../packages/core/test/support/chat-draft.ts'
import { impatientClients } from './impatient-clients.ts'
import { describeWithRedis } from './servers/describe-with-redis.ts'
import { RedisServer, until } from './servers/redis-server.ts'

const open: { close(): unknown }[] = []
afterEach(async () => {
  for (const { close } of open.splice(0).reverse()) await close()
})

function scenario(stores: () => Promise<LimitStore>): void {
  it('counts each operation by the rules that name it, for each of two principals', async () => {
    const rules = [
      requests(2).per('day'),
      requests(3).per('day').forOperations('countTokens'),
      requests(1).per('day').forOperations('embed'),
    ]
    const limiter = limits(rules, { store: await stores(), onStoreFailure: 'closed' })
    const status = async (id: string, operation: 'generate' | 'embed' | 'countTokens') => {
      const context = {
        requestId: 'req_1',
        entry: 'm',
        targets: [local()('m')],
        price: () => null,
        signal: new AbortController().signal,
      }
      try {
        await limiter.admit({ id }, chatDraft({ operation, model: 'm', bytes: 9 }), context)
        return 200
      } catch (error) {
        return (error as { status: number }).status
      }
    }
    for (const id of ['ann', 'bob']) {
      for (let count = 0; count < 3; count++) expect(await status(id, 'countTokens')).toBe(200)
      expect(await status(id, 'countTokens')).toBe(429)
      expect([await status(id, 'embed'), await status(id, 'embed')]).toEqual([200, 429])
      // The embedding counts against the rule for all, too.
      expect([await status(id, 'generate'), await status(id, 'generate')]).toEqual([200, 429])
    }
  })
}

describe('limits of operations, in memory', () => {
  scenario(async () => memoryLimitStore())
})

describeWithRedis('limits of operations, in Redis', () => {
  scenario(async () => {
    const server = await RedisServer.start()
    open.push({ close: () => server.stop() })
    const impatient = impatientClients.ioredis(server)
    open.push(impatient)
    const answers = redisCacheStore(impatient.client)
    await until(async () => {
      try {
        await answers.get({ owner: 'none', name: 'none' })
        return true
      } catch {
        return false
      }
    })
    return redisLimitStore(impatient.client)
  })
})
