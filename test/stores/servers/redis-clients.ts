import { Cluster, Redis } from 'ioredis'
import { createClient, createCluster } from 'redis'
import { afterAll, beforeAll, describe } from 'vitest'
import type { RedisClient } from '../../../packages/redis/src/redis-client.ts'
import type { RedisServer } from './redis-server.ts'

interface Connected {
  readonly client: RedisClient
  close(): void
}

/** Describes tests once for each client of a Redis that stores take. */
export function describeClients(server: () => RedisServer, tests: (client: () => RedisClient) => void): void {
  describeClient('ioredis', tests, async () => {
    const client = new Redis(server().url)
    return { client, close: () => client.disconnect() }
  })
  describeClient('ioredis with a prefix of its own', tests, async () => {
    const client = new Redis(server().url, { keyPrefix: 'a{b}c:' })
    return { client, close: () => client.disconnect() }
  })
  describeClient('node-redis', tests, async () => {
    const client = createClient({ url: server().url })
    await client.connect()
    return { client, close: () => client.destroy() }
  })
}

/** Describes tests once for each client of a cluster that stores take. */
export function describeClusterClients(
  servers: () => readonly RedisServer[],
  tests: (client: () => RedisClient) => void,
): void {
  describeClient('ioredis', tests, async () => {
    const client = new Cluster(servers().map(({ port }) => ({ host: '127.0.0.1', port })))
    return { client, close: () => client.disconnect() }
  })
  describeClient('node-redis', tests, async () => {
    const client = createCluster({ rootNodes: servers().map(({ url }) => ({ url })) })
    await client.connect()
    return { client, close: () => client.destroy() }
  })
}

function describeClient(
  name: string,
  tests: (client: () => RedisClient) => void,
  connect: () => Promise<Connected>,
): void {
  describe.concurrent(`over ${name}`, () => {
    let connected: Connected
    beforeAll(async () => {
      connected = await connect()
    })
    afterAll(() => connected.close())
    tests(() => connected.client)
  })
}

/** Counts the keys of a Redis, and those that never expire. */
export async function countKeys({
  url,
}: RedisServer): Promise<{ readonly all: number; readonly lasting: number }> {
  const client = new Redis(url)
  const keys = await client.keysBuffer('*')
  const ages = await Promise.all(keys.map(key => client.pttl(key)))
  client.disconnect()
  // One that has expired meanwhile is -2.
  return { all: keys.length, lasting: ages.filter(age => age === -1).length }
}
