/** A client of the package `ioredis` (`Redis`, `Cluster`) or `iovalkey`. */
export interface IoredisClient {
  evalsha(sha1: string, numberOfKeys: number, ...keysAndArguments: string[]): Promise<unknown>
  eval(script: string, numberOfKeys: number, ...keysAndArguments: string[]): Promise<unknown>
}

/** A client of the package `redis` (`createClient`, `createCluster`). */
export interface NodeRedisClient {
  evalSha(sha1: string, given: { keys: string[]; arguments: string[] }): Promise<unknown>
  eval(script: string, given: { keys: string[]; arguments: string[] }): Promise<unknown>
}

/** A client that runs scripts on Redis or Valkey. */
export type RedisClient = IoredisClient | NodeRedisClient

/** The common interface of both kinds of clients. */
export interface ScriptRunner {
  evalSha(sha1: string, keys: readonly string[], args: readonly string[]): Promise<unknown>
  eval(script: string, keys: readonly string[], args: readonly string[]): Promise<unknown>
}

/** Throws `TypeError` for an invalid client. `of` is the function's name in the message. */
export function scriptRunner(client: RedisClient, of = 'redisLimitStore'): ScriptRunner {
  if (has(client, 'evalSha')) {
    return {
      evalSha: async (sha1, keys, args) => client.evalSha(sha1, { keys: [...keys], arguments: [...args] }),
      eval: async (script, keys, args) => client.eval(script, { keys: [...keys], arguments: [...args] }),
    }
  }
  if (has(client, 'evalsha')) {
    return {
      evalSha: async (sha1, keys, args) => client.evalsha(sha1, keys.length, ...keys, ...args),
      eval: async (script, keys, args) => client.eval(script, keys.length, ...keys, ...args),
    }
  }
  throw new TypeError(
    `${of}(client): got ${shown(client)}, expected a client with eval and evalsha (as of ioredis) or evalSha (as of redis).`,
  )
}

function has<Name extends 'evalSha' | 'evalsha'>(
  client: RedisClient,
  name: Name,
): client is Name extends 'evalSha' ? NodeRedisClient : IoredisClient {
  const given: unknown = client
  if (typeof given !== 'object' || given === null) return false
  return isFunction(Reflect.get(given, name)) && isFunction(Reflect.get(given, 'eval'))
}

function isFunction(value: unknown): boolean {
  return typeof value === 'function'
}

function shown(client: unknown): string {
  return typeof client === 'object' && client !== null ? 'an object without them' : String(client)
}
