import * as providers from '@sluice/providers'
import { presets } from '@sluice/providers'
import { describe, expect, it } from 'vitest'
import { recheckConfig } from '../check-config.ts'
import { compileConfig } from '../compile-config.ts'
import type { ProviderConfig, TypedConfig } from '../config.ts'
import { VendorPool } from './vendor-pool.ts'
import { vendors } from './vendors.ts'

const keys = [{ id: 'ann', key: 'sk-ann' }]

/** Options that are enough for each vendor. */
const enough: Readonly<Record<string, ProviderConfig>> = {
  vertex: { project: 'p', location: 'global', token: 't' },
  bedrock: { region: 'us-east-1', bearerToken: 'b' },
  azure: { resource: 'ours', apiKey: 'k' },
  'openai-compatible': { baseURL: 'https://llm.example/v1' },
  cloudflare: { accountId: 'a', apiKey: 'k' },
  databricks: { host: 'w.cloud.databricks.com', apiKey: 'k' },
  local: {},
}

function targetsOf(config: Omit<TypedConfig, 'keys'>, pool = new VendorPool()) {
  const checked = recheckConfig({ ...config, keys })
  const compiled = compileConfig(checked.config, checked.issues, pool)
  compiled.vendors.keep()
  return compiled.route.targets()
}

describe('vendors', () => {
  it('are all that @sluice/providers has', () => {
    const makers = Object.entries(providers)
      .filter(([name, value]) => typeof value === 'function' && !/codeChat/.test(name))
      .map(([name]) => (name === 'openaiCompatible' ? 'openai-compatible' : name))
    expect(Object.keys(vendors).sort()).toEqual(makers.sort())
    expect(Object.keys(vendors)).toEqual(expect.arrayContaining(Object.keys(presets)))
  })

  it.each(Object.keys(vendors))('%s is made of its options, under its own name and another', type => {
    const options = enough[type] ?? { apiKey: 'k' }
    const targets = targetsOf({
      providers: { [type]: options, other: { ...options, type } },
      models: { one: `${type}/a/model`, two: 'other/a/model' },
    })
    expect(targets.map(({ provider, model }) => [provider.name, model])).toEqual([
      [type, 'a/model'],
      ['other', 'a/model'],
    ])
  })

  it('allow restricted fields for a provider and for one of its places', () => {
    const [plain, allowing] = targetsOf({
      providers: { openrouter: { apiKey: 'k', allowFields: ['models'] } },
      models: { one: 'openrouter/a', two: { to: 'openrouter/a', allowFields: ['provider'] } },
    })
    expect(plain!.provider.restrictedFields).toMatchObject({ provider: 'routing' })
    expect(plain!.provider.restrictedFields).not.toHaveProperty('models')
    expect([plain!.allowFields, allowing!.allowFields]).toEqual([undefined, ['provider']])
  })

  it.each<[unknown, object | undefined]>([
    [undefined, { provider: 'Acme' }],
    [false, undefined],
    [{ usage: ['cost'] }, undefined],
    [{ response: ['region'] }, { region: 'eu' }],
  ])('keep the fields of answers that providerFields says: %j', async (providerFields, expected) => {
    const [target] = targetsOf({
      providers: {
        openrouter: { apiKey: 'k', ...(providerFields === undefined ? {} : { providerFields }) } as never,
      },
      models: { one: 'openrouter/a' },
    })
    const choices = [{ index: 0, message: { content: 'Hi.' }, finish_reason: 'stop' }]
    const body = JSON.stringify({ choices, provider: 'Acme', region: 'eu' })
    const reply = await target!.provider.decode(
      { status: 200, headers: new Headers(), body: (async function* () {})(), text: async () => body },
      { input: { model: 'one', messages: [] }, model: 'a' },
    )
    const completion = reply.kind === 'completion' ? reply.completion : undefined
    expect(completion?.provider_specific_fields).toEqual(expected)
  })

  it.each([
    ['openrouter', { apiKey: 'k', providerFields: true }],
    ['openrouter', { apiKey: 'k', providerFields: { answer: ['cost'] } }],
    ['openrouter', { apiKey: 'k', providerFields: { usage: ['__proto__'] } }],
    ['anthropic', { apiKey: 'k', providerFields: false }],
  ])('reject providerFields that cannot be: %s %j', (name, options) => {
    const config = { providers: { [name]: options as never }, models: { one: `${name}/a` } }
    expect(() => targetsOf(config)).toThrow('providerFields')
  })

  it('know the restricted fields of a server that its configuration declares', () => {
    const [target] = targetsOf({
      providers: {
        ours: {
          type: 'openai-compatible',
          baseURL: 'https://llm.example/v1',
          restrictedFields: { adapter: 'model' },
        },
      },
      models: { one: 'ours/a' },
    })
    expect(target!.provider.restrictedFields).toEqual({ adapter: 'model' })
  })

  it('accept the request extensions that their configuration declares', () => {
    const configured = (accepts: unknown) => ({
      providers: { ours: { type: 'openai-compatible', baseURL: 'https://llm.example/v1', accepts } },
      models: { one: 'ours/a' },
    })
    const [target] = targetsOf(configured(['video_url']) as Omit<TypedConfig, 'keys'>)
    expect(target!.provider.accepts).toEqual(['video_url'])
    expect(() => targetsOf(configured(['video']) as Omit<TypedConfig, 'keys'>)).toThrow(
      /providers\.ours\.accepts\[0\].*'video'.*expected 'string_media' or 'document_url' or 'video_url'/,
    )
    expect(() => targetsOf(configured('video_url') as Omit<TypedConfig, 'keys'>)).toThrow(
      /providers\.ours\.accepts/,
    )
  })

  it.each<[string, Omit<TypedConfig, 'keys'>]>([
    [
      "providers.openrouter.allowFields[0]: got 'modles'",
      {
        providers: { openrouter: { apiKey: 'k', allowFields: ['modles'] } },
        models: { one: 'openrouter/a' },
      },
    ],
    [
      "models.one.allowFields[0]: got 'modles'",
      {
        providers: { openrouter: { apiKey: 'k' } },
        models: { one: { to: 'openrouter/a', allowFields: ['modles'] } },
      },
    ],
    [
      'models.two.allowFields',
      {
        providers: { openrouter: { apiKey: 'k' } },
        models: { one: 'openrouter/a', two: { to: 'one', allowFields: ['models'] } },
      },
    ],
  ])('refuse fields that they do not restrict: %s', (message, config) => {
    expect(() => targetsOf(config)).toThrow(message)
  })

  it('take a list of API keys, with weights and labels', () => {
    const apiKey = ['sk-one', { key: 'sk-two', weight: 3, label: 'batch' }]
    const [target] = targetsOf({ providers: { openai: { apiKey } }, models: { a: 'openai/x' } })
    expect(target!.provider.keys).toEqual([
      { id: 'key 1', weight: 1 },
      { id: 'batch', weight: 3 },
    ])
  })

  it.each<[message: string, apiKey: unknown]>([
    ['providers.openai.apiKey: got an empty list', []],
    ['providers.openai.apiKey[1]: got an empty string', ['sk-secret', '']],
    ['providers.openai.apiKey[1]: got 7, expected a key', ['sk-secret', 7]],
    ['providers.openai.apiKey[0].key: got nothing, expected a value: it is required', [{ weight: 1 }]],
    [
      'providers.openai.apiKey[0].weight: got -1, expected a number from 0',
      [{ key: 'sk-secret', weight: -1 }],
    ],
    ['providers.openai.apiKey[0].lable: got an unknown setting', [{ key: 'sk-secret', lable: 'a' }]],
    ['providers.openai.apiKey[1]: got a string', ['sk-secret', 'sk-secret']],
  ])('refuse a list of API keys by the path of its error: %s', (message, apiKey) => {
    let thrown: unknown
    try {
      targetsOf({
        providers: { openai: { apiKey } as unknown as ProviderConfig },
        models: { a: 'openai/x' },
      })
    } catch (error) {
      thrown = error
    }
    expect(String(thrown)).toContain(message)
    expect(String(thrown)).not.toContain('sk-secret')
  })

  it('stay the same object for as long as their options are the same', () => {
    const pool = new VendorPool()
    const config = (apiKey: string) => ({
      providers: { openai: { apiKey }, local: {} },
      models: { a: 'openai/x', b: 'local/y' },
    })
    const [a, b] = targetsOf(config('one'), pool)
    const [sameA, sameB] = targetsOf(config('one'), pool)
    expect([sameA!.provider, sameB!.provider]).toEqual([a!.provider, b!.provider])
    expect(sameA!.provider).toBe(a!.provider)
    const [otherA, stillB] = targetsOf(config('two'), pool)
    expect(otherA!.provider).not.toBe(a!.provider)
    expect(stillB!.provider).toBe(b!.provider)
  })
})
