import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { configSchema } from './config-schema.ts'

const written: object = JSON.parse(readFileSync(new URL('../../schema.json', import.meta.url), 'utf8'))
const fits = new Ajv2020({ allowUnionTypes: true, strictTypes: false, strictRequired: false }).compile(
  written,
)

describe('schema.json', () => {
  it('is what the configuration is checked by: `pnpm schema` writes it', () => {
    expect(written).toEqual(JSON.parse(JSON.stringify(configSchema())))
  })

  it('describes every member that a person writes', () => {
    const { properties } = written as { properties: Record<string, { description?: string }> }
    expect(Object.entries(properties).filter(([, { description }]) => !description)).toEqual([])
  })

  it.each<[string, unknown]>([
    ['the least', { models: { a: 'local/x' } }],
    ['a reference in the place of a number', { models: { a: 'b/c' }, server: { port: `\${PORT}` } }],
    [
      'a vendor by its name',
      {
        providers: { openai: { apiKey: 'k' }, mine: { type: 'openai-compatible', baseURL: 'u' } },
        models: { a: 'openai/x' },
      },
    ],
    [
      'routes in routes',
      { models: { a: [{ weighted: [{ to: { hedge: ['b/c', ['b/d']], afterMs: 5 }, weight: 1 }] }] } },
    ],
    [
      'a condition',
      { models: { a: { when: { anyOf: [{ hasTools: true }] }, use: 'b/c', otherwise: 'b/d' } } },
    ],
    [
      'prices',
      {
        models: { a: 'b/c' },
        prices: { a: { input: 1, output: 2, longContext: [{ above: 200_000, input: 2, output: 4 }] } },
        bundledPrices: { refresh: { from: './prices.json' }, warnAfterDays: false, models: { chat: 'c' } },
      },
    ],
    ['no prices', { models: { a: 'b/c' }, prices: false, bundledPrices: false }],
    ['no retries', { models: { a: 'b/c' }, retry: false, console: false, prices: 'genai-prices' }],
  ])('takes %s', (_, config) => {
    expect(fits(config), JSON.stringify(fits.errors)).toBe(true)
  })

  it.each<[string, unknown]>([
    ['no models', {}],
    ['an unknown member', { models: { a: 'b/c' }, retries: 1 }],
    [
      'a service without its URL',
      { providers: { mine: { type: 'openai-compatible' } }, models: { a: 'mine/x' } },
    ],
    ['an unknown vendor', { providers: { mine: { apiKey: 'k' } }, models: { a: 'mine/x' } }],
    ['a route that is none', { models: { a: { weigthed: [] } } }],
    ['a port that is none', { models: { a: 'b/c' }, server: { port: 70_000 } }],
    ['code', { models: { a: 'b/c' }, gateway: {} }],
  ])('refuses %s', (_, config) => {
    expect(fits(config)).toBe(false)
  })
})
