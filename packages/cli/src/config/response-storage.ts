import type { ResponsesConfig, TypedConfig } from './config.ts'

/** Where and how long responses are stored. */
export interface ResponseStorage extends Pick<ResponsesConfig, 'maxResponses' | 'maxBytes'> {
  readonly store: NonNullable<ResponsesConfig['store']>
  readonly ttlMs: number
}

const memoryTtlMs = 3_600_000
const durableTtlMs = 2_592_000_000

/** Returns where a configuration stores responses; `undefined` if it stores none. */
export function responseStorage({ responses, state }: TypedConfig): ResponseStorage | undefined {
  if (responses === false) return undefined
  const store = responses?.store ?? defaultStore(state)
  return { ttlMs: store === 'memory' ? memoryTtlMs : durableTtlMs, ...responses, store }
}

/** A database in memory has no advantage over the store in memory, which is bounded as a whole. */
function defaultStore({ redis, database }: NonNullable<TypedConfig['state']> = {}): ResponseStorage['store'] {
  if (redis !== undefined) return 'redis'
  return database === undefined || database === ':memory:' ? 'memory' : 'database'
}

const storeTexts = { memory: 'in memory', redis: 'in Redis', database: 'in the database' } as const

/** Says where responses are stored and for how long. */
export function responseStorageText(config: TypedConfig): string {
  const own = config.gateway?.responses
  if (own !== undefined) return own === false ? 'not stored' : 'stored as gateway.responses says'
  const storage = responseStorage(config)
  return storage === undefined
    ? 'not stored'
    : `stored ${storeTexts[storage.store]} for ${spanText(storage.ttlMs)}`
}

const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const

/** In the largest unit of which it is a whole number. */
function spanText(ms: number): string {
  const [unit, size] = units.find(([, size]) => ms % size === 0) ?? ['ms', 1]
  const count = ms / size
  return unit === 'ms' ? `${count} ms` : `${count} ${unit}${count === 1 ? '' : 's'}`
}

/** Returns a warning if responses are in the memory of each process while several processes share other state. */
export function responseStorageWarning(config: TypedConfig): string | undefined {
  const { redis, database = '', instances } = config.state ?? {}
  const isShared = redis !== undefined || database.startsWith('postgres') || (instances ?? 1) > 1
  if (!isShared || instances === 1 || config.gateway?.responses !== undefined) return undefined
  if (responseStorage(config)?.store !== 'memory') return undefined
  return 'Responses are stored in the memory of this process: a request that reaches another one cannot continue them. Set responses.store to redis or database.'
}
