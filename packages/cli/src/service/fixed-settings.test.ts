import { describe, expect, it } from 'vitest'
import type { TypedConfig } from '../config/config.ts'
import { fixedChanges, serveWorkers } from './fixed-settings.ts'

const configOf = (
  server: NonNullable<TypedConfig['server']>,
  more: Partial<TypedConfig> = {},
): TypedConfig => ({
  providers: { local: {} },
  models: { demo: 'local/demo' },
  server,
  ...more,
})

describe('fixedChanges', () => {
  it('compares what a service runs with, defaults included', () => {
    expect(
      fixedChanges(configOf({}), configOf({ port: 8787, host: '127.0.0.1', trustProxy: false })),
    ).toEqual([])
    expect(fixedChanges(configOf({}), configOf({ port: 8788 }, { log: { store: 'database' } }))).toEqual([
      'server.port',
      'log',
    ])
  })

  it('leaves out what the command line says', () => {
    const next = configOf({ host: '0.0.0.0', port: 8788 })
    expect(fixedChanges(configOf({}), next, { port: 9000 })).toEqual(['server.host'])
    expect(fixedChanges(configOf({}), next, { port: 0, host: '::1' })).toEqual([])
  })
})

it('serveWorkers takes the number of the command line first', () => {
  expect([
    serveWorkers(configOf({ workers: 3 }), undefined),
    serveWorkers(configOf({ workers: 3 }), 2),
  ]).toEqual([3, 2])
  expect(serveWorkers(configOf({}), undefined)).toBe(1)
})
