import { describe, expect, it } from 'vitest'
import {
  apiKeys,
  ConfigurationError,
  type ConfigurationIssue,
  createGateway,
  limits,
  models,
  requests,
  responseCache,
  weighted,
} from '../index.ts'
import { memoryLimitStore } from '../limits.ts'

const sound = { authenticate: () => ({ id: 'ann' }), route: () => [] }

function errorOf(make: () => unknown): ConfigurationError {
  try {
    make()
  } catch (error) {
    if (ConfigurationError.is(error)) return error
    throw error
  }
  throw new Error('nothing was thrown')
}
const issuesOf = (make: () => unknown): readonly ConfigurationIssue[] => errorOf(make).issues

describe('a configuration error', () => {
  it('has one issue for each option that cannot be used, and names all of them', () => {
    const error = errorOf(() =>
      createGateway({
        ...sound,
        timeouts: { totalMs: 0 },
        limits: [{ kind: 'requests', limit: 0, per: 'minute' }],
      }),
    )
    expect(error).toBeInstanceOf(TypeError)
    expect(error.name).toBe('ConfigurationError')
    expect(error.source).toBe('createGateway()')
    expect(error.issues).toEqual([
      {
        path: ['timeouts', 'totalMs'],
        received: '0',
        expected: 'a number above 0, at most 2147483647',
      },
      { path: ['limits', 0, 'limit'], received: '0', expected: 'a whole number from 1 to 1,000,000,000' },
    ])
    expect(error.message).toBe(
      'createGateway(): 2 options cannot be used:\n' +
        '- timeouts.totalMs: got 0, expected a number above 0, at most 2147483647\n' +
        '- limits[0].limit: got 0, expected a whole number from 1 to 1,000,000,000',
    )
  })

  it.each<[string, () => unknown, (string | number)[], string | undefined]>([
    ['createGateway', () => createGateway({ ...sound, limts: [] } as never), ['limts'], 'limits'],
    [
      'its timeouts',
      () => createGateway({ ...sound, timeouts: { totalms: 1 } } as never),
      ['timeouts', 'totalms'],
      'totalMs',
    ],
    [
      'its retry',
      () => createGateway({ ...sound, retry: { baseMS: 1 } } as never),
      ['retry', 'baseMS'],
      'baseMs',
    ],
    [
      'its breaker',
      () => createGateway({ ...sound, breaker: { failure: 1 } } as never),
      ['breaker', 'failure'],
      'failures',
    ],
    [
      'its requestLimits',
      () => createGateway({ ...sound, requestLimits: { maxByte: 1 } } as never),
      ['requestLimits', 'maxByte'],
      'maxBytes',
    ],
    [
      'its stream',
      () => createGateway({ ...sound, stream: { keepaliveMs: 1 } } as never),
      ['stream', 'keepaliveMs'],
      'keepAliveMs',
    ],
    [
      'its rules',
      () => createGateway({ ...sound, limits: { ...requests(1).per('day'), scope: ['key'] } } as never),
      ['limits', 'scope'],
      'scopes',
    ],
    ['limits', () => limits([], { wiat: {} } as never), ['wiat'], 'wait'],
    [
      'a wait',
      () => limits([], { wait: { maxMs: 1, maxQueue: 1 } } as never),
      ['wait', 'maxQueue'],
      'maxQueued',
    ],
    ['memoryLimitStore', () => memoryLimitStore({ maxKey: 1 } as never), ['maxKey'], 'maxKeys'],
    ['responseCache', () => responseCache({ ttlMs: 1, maxByte: 1 } as never), ['maxByte'], 'maxBytes'],
    ['apiKeys', () => apiKeys([], { peper: 'x' } as never), ['peper'], 'pepper'],
    ['a key', () => apiKeys([{ id: 'a', key: 'k', model: ['m'] } as never]), [0, 'model'], 'models'],
    ['nothing near', () => createGateway({ ...sound, zzzzzzzz: 1 } as never), ['zzzzzzzz'], undefined],
  ])('suggests the option that a misspelt one was meant to be: %s', (_, make, path, suggestion) => {
    const error = errorOf(make)
    const issue = error.issues.find(({ expected }) => expected === 'no such option')
    expect(issue?.path).toEqual(path)
    expect(issue?.suggestion).toBe(suggestion)
    if (suggestion !== undefined) expect(error.message).toContain(`Did you mean '${suggestion}'?`)
  })

  it('suggests the model that a misspelt name was meant to be', () => {
    const target = { provider: { name: 'acme', encode: () => null, decode: () => null }, model: 'a' } as never
    expect(issuesOf(() => models({ large: target, smart: weighted(['lrage', 1]) } as never))).toMatchObject([
      { path: ['smart'], received: "'lrage'", suggestion: 'large' },
    ])
  })

  it.each<[string, () => unknown]>([
    ['a misspelt option', () => createGateway({ ...sound, apikey: 'hunter2-hunter2' } as never)],
    ['a key', () => apiKeys([{ id: 'a', key: 'hunter2-hunter2', hash: 'hunter2-hunter2' } as never])],
    ['a field of a key', () => apiKeys([{ id: 'a', kye: 'hunter2-hunter2' } as never])],
    ['an id of a key', () => apiKeys([{ id: 7, key: 'hunter2-hunter2' } as never])],
    [
      'a pepper',
      () => apiKeys({ find: () => undefined, digests: () => [] }, { pepper: { v1: 'hunter2-hunter2' } }),
    ],
    ['a URL with a password', () => createGateway({ ...sound, basePath: 'https://me:hunter2@acme.example' })],
    ['a vendor’s key', () => createGateway({ ...sound, basePath: 'sk-hunter2' })],
    ['a long text', () => createGateway({ ...sound, basePath: `${'x'.repeat(80)}hunter2` })],
  ])('shows no secret: %s', (_, make) => {
    const error = errorOf(make)
    expect(error.issues.length).toBeGreaterThan(0)
    expect(`${error.message} ${JSON.stringify(error.issues)}`).not.toContain('hunter2')
  })

  it('is known to another copy of the package', () => {
    const error = errorOf(() => createGateway(undefined as never))
    expect(error.message).toBe('createGateway(): got undefined, expected an object.')
    expect(ConfigurationError.is(error)).toBe(true)
    expect(ConfigurationError.is(new TypeError('x'))).toBe(false)
  })
})
