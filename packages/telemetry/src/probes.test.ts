import { ConfigurationError } from '@sluice/core'
import { describe, expect, it } from 'vitest'
import { type ProbeOptions, probes } from './index.ts'

async function asked(path: string, options?: ProbeOptions, { ready = true, method = 'GET' } = {}) {
  const endpoint = probes({ ready }, options)
  expect(endpoint.matches(path)).toBe(true)
  return endpoint.fetch(new Request(`http://sluice.test${path}`, { method }), path)
}

const fails = () => Promise.reject(new Error('password of the database'))
const hangs = (signal: AbortSignal) =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))

describe('probes', () => {
  it('says that the process answers, also while the gateway stops and checks fail', async () => {
    const response = await asked('/healthz', { checks: { fails } }, { ready: false })
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({ status: 'ok' })
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('content-type')).toBe('application/json')
  })

  it('is ready while the gateway takes requests', async () => {
    const up = await asked('/readyz')
    expect([up.status, await up.json()]).toEqual([200, { status: 'ok', checks: { gateway: 'ok' } }])
    const down = await asked('/readyz', {}, { ready: false })
    expect([down.status, await down.json()]).toEqual([
      503,
      { status: 'unavailable', checks: { gateway: 'failed' } },
    ])
  })

  it('names the checks that fail, and never says why', async () => {
    const throws = () => {
      throw new Error('secret')
    }
    const checks = { good: () => 'fine', empty: () => undefined, no: async () => false, fails, throws, hangs }
    const response = await asked('/readyz', { checks, timeoutMs: 20 })
    expect(response.status).toBe(503)
    expect(await response.json()).toEqual({
      status: 'unavailable',
      checks: {
        gateway: 'ok',
        good: 'ok',
        empty: 'ok',
        no: 'failed',
        fails: 'failed',
        throws: 'failed',
        hangs: 'timeout',
      },
    })
  })

  it('ends a check that takes too long, and does not wait for one that does not heed it', async () => {
    let aborted = false
    const checks = {
      heeds: (signal: AbortSignal) => {
        signal.addEventListener('abort', () => {
          aborted = true
        })
        return new Promise(() => {})
      },
    }
    expect((await asked('/readyz', { checks, timeoutMs: 20 })).status).toBe(503)
    expect(aborted).toBe(true)
  })

  it('runs checks once for all who ask at the same time, and again for who asks later', async () => {
    let runs = 0
    const endpoint = probes({ ready: true }, { checks: { counts: async () => void runs++ } })
    const ask = async () => endpoint.fetch(new Request('http://sluice.test/readyz'), '/readyz')
    await Promise.all([ask(), ask(), ask()])
    expect(runs).toBe(1)
    await ask()
    expect(runs).toBe(2)
  })

  it('answers HEAD without a body, and nothing but GET and HEAD', async () => {
    const head = await asked('/readyz', {}, { method: 'HEAD', ready: false })
    expect([head.status, await head.text()]).toEqual([503, ''])
    for (const path of ['/healthz', '/readyz']) {
      const post = await asked(path, {}, { method: 'POST' })
      expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    }
  })

  it('stands under paths of your own', () => {
    const endpoint = probes({ ready: true }, { live: '/live', ready: '/ready' })
    expect(['/live', '/ready', '/healthz', '/readyz', '/live/'].map(path => endpoint.matches(path))).toEqual([
      true,
      true,
      false,
      false,
      false,
    ])
  })

  it.each<[ProbeOptions, readonly string[], string]>([
    [{ live: 'healthz' }, ['live'], "probes(): live: got 'healthz', expected a path such as '/live'."],
    [{ live: '/a', ready: '/a' }, ['ready'], "ready: got '/a', expected another path than that of live"],
    [{ checks: { gateway: () => true } }, ['checks', 'gateway'], "expected a name other than 'gateway'"],
    [
      { checks: { db: 'postgres://hidden' as unknown as () => true } },
      ['checks', 'db'],
      'checks.db: got a string, expected a function',
    ],
    [{ timeoutMs: 0 }, ['timeoutMs'], 'timeoutMs: got 0, expected milliseconds above 0'],
    [{ timeoutMs: Number.NaN }, ['timeoutMs'], 'timeoutMs: got NaN'],
    [{ timeoutMs: 1e10 }, ['timeoutMs'], 'timeoutMs: got 10000000000'],
  ])('throws for %o', (options, path, message) => {
    const make = () => probes({ ready: true }, options)
    expect(make).toThrow(ConfigurationError)
    expect(make).toThrow(expect.objectContaining({ issues: [expect.objectContaining({ path })] }))
    expect(make).toThrow(message)
  })
})
