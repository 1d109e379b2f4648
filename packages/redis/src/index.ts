export type { IoredisClient, NodeRedisClient, RedisClient } from './redis-client.ts'
export type { RedisStoreOptions } from './redis-store.ts'
export { redisStore } from './redis-store.ts'
