import { ConfigurationError } from '@sluice/core'
import type { Call, Target } from '@sluice/core/provider'
import { describe, expect, it } from 'vitest'
import { anthropic, azure, gemini, groq, openai, openaiCompatible, vllm } from './index.ts'
import type { ApiKeys } from './provider-keys.ts'

const baseURL = 'http://127.0.0.1:9/v1'

/** Each kind of provider that takes API keys, and the header that it sends them in. */
const makers: readonly (readonly [
  name: string,
  header: string,
  prefix: string,
  make: (apiKey: ApiKeys) => Target,
])[] = [
  ['openai', 'authorization', 'Bearer ', apiKey => openai({ apiKey })('m')],
  ['groq', 'authorization', 'Bearer ', apiKey => groq({ apiKey })('m')],
  ['vllm', 'authorization', 'Bearer ', apiKey => vllm({ apiKey })('m')],
  ['acme', 'authorization', 'Bearer ', apiKey => openaiCompatible({ name: 'acme', baseURL, apiKey })('m')],
  ['anthropic', 'x-api-key', '', apiKey => anthropic({ apiKey })('m')],
  ['gemini', 'x-goog-api-key', '', apiKey => gemini({ apiKey })('m')],
  ['azure', 'api-key', '', apiKey => azure({ resource: 'ours', apiKey })('m')],
]

async function headersOf({ provider, ...target }: Target, key?: string) {
  const input = { model: 'm', messages: [{ role: 'user' as const, content: 'Hi' }] }
  const call: Call = { input, ...target, ...(key !== undefined && { key }) }
  return (await provider.encode(call)).headers
}

describe.each(makers)('the API keys of %s', (name, header, prefix, make) => {
  it('are sent as the call says, the first by default', async () => {
    const target = make(['sk-first', { key: 'sk-second', weight: 0.5, label: 'batch' }, { key: 'sk-third' }])
    expect(target.provider.keys).toEqual([
      { id: 'key 1', weight: 1 },
      { id: 'batch', weight: 0.5 },
      { id: 'key 3', weight: 1 },
    ])
    expect(JSON.stringify(target.provider)).not.toContain('sk-')
    expect((await headersOf(target, 'key 1'))[header]).toBe(`${prefix}sk-first`)
    expect((await headersOf(target, 'batch'))[header]).toBe(`${prefix}sk-second`)
    expect((await headersOf(target, 'key 3'))[header]).toBe(`${prefix}sk-third`)
    expect((await headersOf(target))[header]).toBe(`${prefix}sk-first`)
    await expect((async () => headersOf(target, 'another'))()).rejects.toThrow(TypeError)
  })

  it.each<[string, ApiKeys]>([
    ['one key', 'sk-first'],
    ['a list of one', ['sk-first']],
    ['a list of one with a label', [{ key: 'sk-first', label: 'only' }]],
  ])('are no list for the gateway with %s', async (_, apiKey) => {
    const target = make(apiKey)
    expect(target.provider).not.toHaveProperty('keys')
    expect((await headersOf(target))[header]).toBe(`${prefix}sk-first`)
  })

  it.each<[string, unknown, string]>([
    ['an empty list', [], 'apiKey: got a list of 0, expected a key, or a list of 1 to 100 keys'],
    ['101 keys', Array.from({ length: 101 }, (_, at) => `sk-secret-${at}`), 'apiKey: got a list of 101'],
    ['a number', ['sk-secret-1', 7], 'apiKey[1]: got'],
    ['an empty key', ['sk-secret-1', ''], 'apiKey[1]: got'],
    ['a key with a line break', ['sk-secret-1\n'], 'apiKey[0]: got'],
    ['a key twice', ['sk-secret-1', 'sk-secret-2', 'sk-secret-1'], 'apiKey[2]: got'],
    ['a key twice, in both forms', ['sk-secret-1', { key: 'sk-secret-1' }], 'apiKey[1].key: got'],
    ['an entry without a key', [{ weight: 1 }], 'apiKey[0].key: got undefined'],
    ['an unknown option', [{ key: 'sk-secret-1', wieght: 2 }], "Did you mean 'weight'?"],
    ['a negative weight', [{ key: 'sk-secret-1', weight: -1 }], 'apiKey[0].weight: got -1'],
    ['an infinite weight', [{ key: 'sk-secret-1', weight: Number.POSITIVE_INFINITY }], 'apiKey[0].weight'],
    ['weights of 0 alone', [{ key: 'sk-secret-1', weight: 0 }], 'apiKey[0].weight: got 0'],
    ['an empty label', [{ key: 'sk-secret-1', label: '' }], 'apiKey[0].label: got'],
    ['a label of two lines', [{ key: 'sk-secret-1', label: 'a\nb' }], 'apiKey[0].label: got'],
    ['a long label', [{ key: 'sk-secret-1', label: 'a'.repeat(65) }], 'apiKey[0].label: got'],
    ['a label twice', [{ key: 'sk-secret-1', label: 'key 2' }, 'sk-secret-2'], 'apiKey[1].label: got'],
    ['a label with a key', ['sk-secret-1', { key: 'b', label: 'sk-secret-1!' }], 'apiKey[1].label: got'],
  ])('are refused with %s, by their path and without a key', (_, given, expected) => {
    let thrown: unknown
    try {
      make(given as ApiKeys)
    } catch (error) {
      thrown = error
    }
    expect(ConfigurationError.is(thrown)).toBe(true)
    expect((thrown as Error).message).toContain(expected)
    expect((thrown as Error).message).toContain(`${name}()`)
    expect(JSON.stringify([thrown, (thrown as Error).stack])).not.toContain('sk-secret')
  })
})
