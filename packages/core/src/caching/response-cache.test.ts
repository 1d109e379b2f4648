import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fieldSchemas } from '../dialects/chat/schema.ts'
import type { ChatRequest } from '../protocol/chat.ts'
import { idempotency } from './idempotency.ts'
import { responseCache } from './response-cache.ts'

const ann = { id: 'ann' }
const exact: ChatRequest = { model: 'm', messages: [{ role: 'user', content: 'a' }], temperature: 0 }
const cache = responseCache({ ttlMs: 1_000, cacheable: () => true })
const value = fc.jsonValue({ maxDepth: 2 })
const fields = Object.keys(fieldSchemas(false)).filter(name => name !== 'model')
const request = fc
  .tuple(fc.dictionary(fc.constantFrom(...fields), value, { noNullPrototype: true }), fc.string())
  .map(([given, model]) => ({ model, ...given }) as unknown as ChatRequest)

/** As JSON has it: `-0` is `0`. */
const plain = (input: unknown) => JSON.parse(JSON.stringify(input))

describe('what responseCache keeps an answer under', () => {
  it('does not mind the order of members', async () => {
    await fc.assert(
      fc.asyncProperty(request, async input => {
        const turned = Object.fromEntries(Object.entries(input).reverse()) as unknown as ChatRequest
        expect(await cache.keyOf(turned, ann)).toEqual(await cache.keyOf(input, ann))
      }),
    )
  })

  it('is another one wherever a field is added, changed or left out', async () => {
    await fc.assert(
      fc.asyncProperty(
        request,
        fc.constantFrom(...fields, 'x_unknown'),
        value,
        async (input, name, other) => {
          const changed = { ...input, [name]: other } as unknown as ChatRequest
          const key = await cache.keyOf(changed, ann)
          const same = isDeepStrictEqual(plain(changed), plain(input))
          expect(isDeepStrictEqual(key, await cache.keyOf(input, ann))).toBe(same)
          const { [name as 'user']: _, ...less } = changed
          expect(await cache.keyOf(less as ChatRequest, ann)).not.toEqual(key)
        },
      ),
    )
  })

  it('is another one for each model', async () => {
    await fc.assert(
      fc.asyncProperty(request, fc.string(), async (input, model) => {
        const key = await cache.keyOf({ ...input, model }, ann)
        expect(isDeepStrictEqual(key, await cache.keyOf(input, ann))).toBe(model === input.model)
      }),
    )
  })

  it('is another one for each principal, whatever they are called', async () => {
    const id = fc.string({ unit: fc.constantFrom('a', '1', ':', '"', '\ud800', '\ud801'), maxLength: 3 })
    await fc.assert(
      fc.asyncProperty(request, id, id, async (input, one, other) => {
        const key = await cache.keyOf(input, { id: one })
        expect(isDeepStrictEqual(key, await cache.keyOf(input, { id: other }))).toBe(one === other)
      }),
    )
  })

  it('tells nothing of the request', async () => {
    const input = { model: 'm', messages: [{ role: 'user', content: 'secret' }], temperature: 0 } as const
    const key = await responseCache({ ttlMs: 1 }).keyOf(input, ann)
    expect(key?.name).toMatch(/^cache:[0-9a-f]{64}$/)
    expect(key?.owner).not.toContain('secret')
  })
})

it.each([
  [undefined, 'ttlMs: got undefined'],
  [{}, 'ttlMs: got undefined'],
  [{ ttlMs: 0 }, 'ttlMs: got 0, expected milliseconds above 0'],
  [{ ttlMs: 1, maxBytes: 0 }, 'maxBytes: got 0'],
  [{ ttlMs: 1, store: new Map() }, 'store: got an object, expected a store, such as memoryCacheStore'],
  [{ ttlMs: 1, cacheable: true }, 'cacheable: got true, expected a function'],
  [{ ttlMs: 1, scope: 'everybody' }, "scope: got 'everybody', expected 'principal' or a function"],
  [{ ttlMs: 1, ttl: 1 }, 'ttl: got 1, expected no such option'],
])('responseCache does not take the options %j', (options, fault) => {
  expect(() => responseCache(options as never)).toThrow(TypeError)
  expect(() => responseCache(options as never)).toThrow(fault)
})

it('takes no option that another library has added to every object', async () => {
  const key = await responseCache({ ttlMs: 1_000 }).keyOf(exact, ann)
  for (const name of ['scope', 'cacheable', 'onStoreFailure', 'store']) {
    Object.defineProperty(Object.prototype, name, { value: () => true, configurable: true })
    try {
      expect(await responseCache({ ttlMs: 1_000 }).keyOf(exact, ann)).toEqual(key)
      expect(idempotency().onStoreFailure).toBe('closed')
    } finally {
      Reflect.deleteProperty(Object.prototype, name)
    }
  }
})
