import { fallback } from '@sluice/core'
import { local } from '@sluice/providers'
import { describe, expect, expectTypeOf, it } from 'vitest'
import type { TypedConfig } from './config.ts'
import { defineConfig } from './define-config.ts'

const providers = { openai: { apiKey: 'k' }, own: local() } as const

describe('defineConfig', () => {
  it('gives the configuration as it is, and fits where one is asked for', () => {
    const config = defineConfig({
      providers,
      models: { small: 'openai/gpt-4.1-mini', smart: ['small', 'own/x'] },
    })
    expect(config.models.smart).toEqual(['small', 'own/x'])
    expectTypeOf(config).toExtend<TypedConfig>()
    expectTypeOf<keyof typeof config.models>().toEqualTypeOf<'small' | 'smart'>()
  })

  it('knows the names of providers and models wherever a route may name one', () => {
    const config = defineConfig({
      providers,
      models: {
        small: 'openai/gpt-4.1-mini',
        nested: { weighted: [{ to: ['small', { fastest: ['own/a', 'openai/b'] }], weight: 1 }] },
        sure: { sticky: ['small', { to: 'own/a', weight: 2 }], by: 'key' },
        trial: { split: { a: { to: 'small', share: 0.5 }, b: { to: 'own/b', share: 0.5 } } },
        quick: { hedge: ['small', 'own/b'], afterMs: 100 },
        shade: { mirror: 'small', shadow: 'own/b' },
        long: { when: { promptLongerThan: 9 }, use: 'small', otherwise: 'nested' },
        cold: { to: 'own/b', parameters: { temperature: 0 } },
        made: fallback('small', local()('x')),
        target: local()('x'),
        'any/*': 'own/*',
        fits: 'any/thing',
      },
    })
    expect(Object.keys(config.models)).toHaveLength(12)
  })

  it('refuses names that are not there', () => {
    const wrong = [
      // @ts-expect-error: no such provider
      defineConfig({ providers, models: { small: 'opnai/gpt' } }),
      // @ts-expect-error: no such model
      defineConfig({ providers, models: { small: 'own/x', smart: ['smal'] } }),
      defineConfig({
        providers,
        // @ts-expect-error: no such model, deep inside
        models: { small: 'own/x', smart: { weighted: [{ to: ['smal'], weight: 1 }] } },
      }),
      // @ts-expect-error: no such model
      defineConfig({ providers, models: { small: 'own/x', smart: { to: 'smal' } } }),
      // @ts-expect-error: no such model in a route of the core
      defineConfig({ providers, models: { small: 'own/x', smart: fallback('smal') } }),
      // @ts-expect-error: no such option
      defineConfig({ providers, models: { small: 'own/x' }, retries: 3 }),
    ]
    expect(wrong).toHaveLength(6)
  })
})
