import { describe, expect, it } from 'vitest'
import { mountOf } from './mount.ts'

/** The rule of the core: the base stands below the mount, or ends it. */
const gateway = {
  matches: (path: string, mount = '') => {
    if (!path.startsWith(`${mount}/`) && path !== mount) return false
    const rest = path.slice(mount.length)
    return rest === '/v1' || rest.startsWith('/v1/') || mount.endsWith('/v1')
  },
}

const at = (originalUrl: string, path = originalUrl.split('?')[0]!, _matchedRoute?: unknown) =>
  mountOf({ originalUrl, path, _matchedRoute }, gateway)

describe('mountOf', () => {
  it.each([
    ['/v1/models?x=/a', '/v1/models', '', '/v1/models'],
    ['/api/v1/models', '/v1/models', '/api', '/api/v1/models'],
    ['/v1/models', '/models', '/v1', '/v1/models'],
    ['/v1', '/', '/v1', '/v1/'],
    ['http://elsewhere/api/v1/models', '/v1/models', '/api', '/api/v1/models'],
    ['//elsewhere/v1/models', '//elsewhere/v1/models', '', '//elsewhere/v1/models'],
    ['/old', '/v1/models', '', '/v1/models'],
  ])('%s seen as %s', (originalUrl, path, mount, whole) => {
    expect(at(originalUrl, path)).toEqual({ mount, path: whole })
  })

  it.each([
    ['/v1/models', '/v1/{*path}', ''],
    ['/api/ai/v1/models', '/api/ai/v1/{*path}', '/api/ai'],
    ['/api/ai/v1/models', '/api/ai/{*path}', '/api/ai'],
    ['/t/acme/v1/models', '/t/:tenant/v1/(.*)', '/t/acme'],
    ['/t/acme/v1/models', '/t/:tenant/*path', '/t/acme'],
    ['/api/v1/chat/completions', '/api/v1/chat/completions', '/api'],
  ])('%s on the route %s', (url, route, mount) => {
    expect(at(url, url, route)).toEqual({ mount, path: url })
  })

  it('never looks for the gateway deeper than the route goes', () => {
    expect(at('/files/v1/models', '/files/v1/models', '/{*path}').mount).toBe('')
    expect(at('/a/b/v1/models', '/a/b/v1/models', '/a/{*path}').mount).toBe('')
    expect(at('/a/v1/models', '/a/v1/models', /a/).mount).toBe('')
    expect(at('/a', '/a', '/a/b/c').mount).toBe('')
  })
})
