import { describe, expect, it } from 'vitest'
import type { TypedConfig } from './config.ts'
import { responseStorage, responseStorageText, responseStorageWarning } from './response-storage.ts'

const models = { demo: 'local/demo' }
const redis = 'redis://127.0.0.1'
const postgres = 'postgres://127.0.0.1/sluice'

describe('responseStorage', () => {
  it.each<[string, Omit<TypedConfig, 'models'>]>([
    ['stored in memory for 1 hour', {}],
    ['stored in memory for 1 hour', { state: { database: ':memory:' } }],
    ['stored in the database for 30 days', { state: { database: 'file:./sluice.db' } }],
    ['stored in Redis for 30 days', { state: { database: postgres, redis } }],
    [
      'stored in the database for 30 days',
      { state: { database: postgres, redis }, responses: { store: 'database' } },
    ],
    ['stored in memory for 1 hour', { state: { redis }, responses: { store: 'memory' } }],
    ['stored in Redis for 90 minutes', { state: { redis }, responses: { ttlMs: 5_400_000 } }],
    ['stored in memory for 1500 ms', { responses: { ttlMs: 1_500 } }],
    ['not stored', { state: { redis }, responses: false }],
    ['not stored', { gateway: { responses: false } }],
  ])('%s', (text, config) => {
    expect(responseStorageText({ models, ...config })).toBe(text)
  })

  it('has the bounds of the configuration', () => {
    const responses = { maxResponses: 5, maxBytes: 1_000 }
    expect(responseStorage({ models, responses })).toEqual({
      store: 'memory',
      ttlMs: 3_600_000,
      ...responses,
    })
  })

  it('warns of memory that no other process sees, and of nothing else', () => {
    const warningOf = (config: Omit<TypedConfig, 'models'>) => responseStorageWarning({ models, ...config })
    const responses = { store: 'memory' } as const
    for (const state of [{ redis }, { database: postgres }, { instances: 2 }])
      expect(warningOf({ state, responses })).toContain('Set responses.store to redis or database.')
    expect(warningOf({ state: { redis, instances: 1 }, responses })).toBeUndefined()
    expect(warningOf({ state: { redis } })).toBeUndefined()
    expect(warningOf({ state: { redis }, responses: false })).toBeUndefined()
    expect(warningOf({})).toBeUndefined()
  })
})
