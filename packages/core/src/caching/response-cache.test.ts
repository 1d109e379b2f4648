import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chatDraft } from '../../test/support/chat-draft.ts'
import { chatRequest } from '../../test/support/chat-request.ts'
import type { GuardedCacheStore } from '../contracts/cache-store.ts'
import type { Draft } from '../contracts/draft.ts'
import { fieldSchemas } from '../dialects/chat/schema.ts'
import type { ChatRequest } from '../protocol/chat.ts'
import { idempotency } from './idempotency.ts'
import { memoryCacheStore } from './memory-cache-store.ts'
import { lookUpCache, type ResponseCache, responseCache } from './response-cache.ts'

const ann = { id: 'ann' }
const draft = chatDraft()
/** A request in a protocol that is not chat's, whatever its chat form. */
const other: Draft = { ...draft, dialect: 'other', body: { model: 'm', turns: ['a'] } }
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
        expect(await cache.keyOf(turned, ann, draft)).toEqual(await cache.keyOf(input, ann, draft))
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
          const key = await cache.keyOf(changed, ann, draft)
          const same = isDeepStrictEqual(plain(changed), plain(input))
          expect(isDeepStrictEqual(key, await cache.keyOf(input, ann, draft))).toBe(same)
          const { [name as 'user']: _, ...less } = changed
          expect(await cache.keyOf(less as ChatRequest, ann, draft)).not.toEqual(key)
        },
      ),
    )
  })

  it('is another one for each model', async () => {
    await fc.assert(
      fc.asyncProperty(request, fc.string(), async (input, model) => {
        const key = await cache.keyOf({ ...input, model }, ann, draft)
        expect(isDeepStrictEqual(key, await cache.keyOf(input, ann, draft))).toBe(model === input.model)
      }),
    )
  })

  it('is another one for each principal, whatever they are called', async () => {
    const id = fc.string({ unit: fc.constantFrom('a', '1', ':', '"', '\ud800', '\ud801'), maxLength: 3 })
    await fc.assert(
      fc.asyncProperty(request, id, id, async (input, one, other) => {
        const key = await cache.keyOf(input, { id: one }, draft)
        expect(isDeepStrictEqual(key, await cache.keyOf(input, { id: other }, draft))).toBe(one === other)
      }),
    )
  })

  it('is another one for each dialect, and for all that the chat form of its request may lack', async () => {
    const keys = new Set<string>()
    for (const asked of [
      draft,
      other,
      { ...other, dialect: 'third' },
      { ...other, body: { turns: ['b'] } },
    ]) {
      const key = await cache.keyOf(exact, ann, asked)
      keys.add(key!.name)
    }
    expect(keys.size).toBe(4)
  })

  it('does not look at the body of a chat completion, which may be spelled in several ways', async () => {
    const spelled = chatDraft({ body: { model: 'm', seed: null } })
    expect(await cache.keyOf(exact, ann, spelled)).toEqual(await cache.keyOf(exact, ann, draft))
  })

  it('tells nothing of the request', async () => {
    const input = { model: 'm', messages: [{ role: 'user', content: 'secret' }], temperature: 0 } as const
    const key = await responseCache({ ttlMs: 1 }).keyOf(input, ann, draft)
    expect(key?.name).toMatch(/^cache:[0-9a-f]{64}$/)
    expect(key?.owner).not.toContain('secret')
  })
})

describe('a cache of the user, whose key ignores the dialect,', () => {
  const memory = memoryCacheStore()
  const store: GuardedCacheStore = {
    get: async key => ({ ok: true, value: memory.get(key) }),
    set: async (...given) => ({ ok: true, value: memory.set(...given) }),
    add: async (...given) => ({ ok: true, value: memory.add(...given) }),
    replace: async (...given) => ({ ok: true, value: memory.replace(...given) }),
  }
  const key = { owner: 'ann', name: 'same' }
  const own: ResponseCache<GuardedCacheStore> = { store, ttlMs: 1_000, maxBytes: 1_000, keyOf: () => key }
  const lookUp = (asked: Draft) =>
    lookUpCache(new Request('http://there.test'), asked, chatRequest(exact), ann, own)
  const answer = (text: string) => ({ stream: false, text, adjustments: [] })

  it('gives a response in the dialect in which it was written', async () => {
    await (await lookUp(other))?.keeper?.completed(answer('other'))
    expect(await lookUp(other)).toEqual({ answer: answer('other') })
    const asChat = await lookUp(draft)
    expect(asChat?.answer).toBeUndefined()
    await asChat?.keeper?.completed(answer('chat'))
    expect(await lookUp(draft)).toEqual({ answer: answer('chat') })
    expect((await lookUp(other))?.answer).toBeUndefined()
  })

  it('gives what was stored without a dialect as a chat completion', async () => {
    memory.set(key, JSON.stringify(answer('old')), { ttlMs: 1_000 })
    expect(await lookUp(draft)).toEqual({ answer: answer('old') })
    expect((await lookUp(other))?.answer).toBeUndefined()
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
  const key = await responseCache({ ttlMs: 1_000 }).keyOf(exact, ann, draft)
  for (const name of ['scope', 'cacheable', 'onStoreFailure', 'store']) {
    Object.defineProperty(Object.prototype, name, { value: () => true, configurable: true })
    try {
      expect(await responseCache({ ttlMs: 1_000 }).keyOf(exact, ann, draft)).toEqual(key)
      expect(idempotency().onStoreFailure).toBe('closed')
    } finally {
      Reflect.deleteProperty(Object.prototype, name)
    }
  }
})
