import { afterEach, describe, expect, it, vi } from 'vitest'
import type { GatewayEvent } from '../contracts/events.ts'
import type { Target } from '../contracts/provider.ts'
import { models } from '../routing/models.ts'
import { createGateway } from './gateway.ts'

const named = (name: string): Target => ({
  model: 'm',
  provider: {
    name,
    encode: () => ({ method: 'POST', url: '', headers: {} }),
    decode: () => ({ kind: 'completion', completion: { choices: [] } }),
  },
})

function warningsOf(targets: readonly Target[]): GatewayEvent[] {
  const events: GatewayEvent[] = []
  createGateway({
    authenticate: () => undefined,
    route: models({ m: targets }),
    observe: event => events.push(event),
  })
  return events
}

describe('a gateway that only local() answers', () => {
  afterEach(() => {
    vi.unstubAllEnvs()
    vi.restoreAllMocks()
  })

  it('warns at start in production', () => {
    vi.stubEnv('NODE_ENV', 'production')
    expect(warningsOf([named('local'), named('local')])).toMatchObject([
      {
        type: 'warning',
        code: 'only_local_in_production',
        message: expect.stringContaining('not a language model'),
      },
    ])
  })

  it('warns on the console where nothing observes', () => {
    vi.stubEnv('NODE_ENV', 'production')
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    createGateway({ authenticate: () => undefined, route: models({ m: named('local') }) })
    expect(warn).toHaveBeenCalledOnce()
  })

  it('starts where the environment may not be read', () => {
    vi.stubGlobal('process', {
      get env(): never {
        throw new Error('Requires env access')
      },
    })
    const warnings = warningsOf([named('local')])
    // At once: what runs the tests needs it too.
    vi.unstubAllGlobals()
    expect(warnings).toEqual([])
  })

  it('is silent elsewhere, and where another one answers too', () => {
    expect(warningsOf([named('local')])).toEqual([])
    vi.stubEnv('NODE_ENV', 'production')
    expect(warningsOf([named('local'), named('acme')])).toEqual([])
  })
})
