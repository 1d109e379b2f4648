import { describe, expect, it } from 'vitest'
import type { FetchContext } from '../contracts/host.ts'
import type { Gateway } from './managed-gateway.ts'
import { type Endpoint, withEndpoints } from './with-endpoints.ts'

const gateway: Gateway = {
  fetch: async () => new Response('gateway'),
  matches: (path, mount = '') => path.startsWith(`${mount}/v1/`),
  close: async () => {},
}

/** Answers with the path that it was told. */
function endpoint(own: string): Endpoint {
  return { matches: path => path === own, fetch: (_, path) => new Response(`${own} at ${path}`) }
}

const both = withEndpoints(gateway, [endpoint('/metrics'), endpoint('/')])

async function asked(path: string, context?: FetchContext): Promise<string> {
  return (await both.fetch(new Request(`http://sluice.test${path}`), context)).text()
}

describe('withEndpoints', () => {
  it('answers under the paths of its endpoints, and leaves the others to the gateway', async () => {
    expect(await asked('/metrics')).toBe('/metrics at /metrics')
    expect(await asked('/metrics?a=b')).toBe('/metrics at /metrics')
    expect(await asked('/v1/models')).toBe('gateway')
    expect(await asked('/metrics/more')).toBe('gateway')
  })

  it('counts paths from the mount', async () => {
    expect(await asked('/api/metrics', { mount: '/api' })).toBe('/metrics at /metrics')
    expect(await asked('/api', { mount: '/api' })).toBe('/ at /')
    expect(await asked('/apis/metrics', { mount: '/api' })).toBe('gateway')
    expect(both.matches('/api/metrics', '/api')).toBe(true)
    expect(both.matches('/apis/metrics', '/api')).toBe(false)
  })

  it('says that both are its own, and nothing else', () => {
    expect(['/metrics', '/v1/models', '/elsewhere'].map(path => both.matches(path))).toEqual([
      true,
      true,
      false,
    ])
  })

  it('is called like fetch, too: in process there are no endpoints', async () => {
    expect(await (await both.fetch('http://sluice.test/metrics')).text()).toBe('gateway')
  })
})
