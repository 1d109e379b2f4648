import { describe, expect, expectTypeOf, it } from 'vitest'
import type { BatchedLedgerOptions } from '../../src/accounting/batched-ledger.ts'
import { type ApiKey, apiKeys } from '../../src/auth/api-keys.ts'
import type { ApiKeysOptions } from '../../src/auth/api-keys-options.ts'
import { type KeyStoreOptions, keyStore } from '../../src/auth/issued-keys.ts'
import { type IdempotencyOptions, idempotency } from '../../src/caching/idempotency.ts'
import { type MemoryCacheStoreOptions, memoryCacheStore } from '../../src/caching/memory-cache-store.ts'
import { type ResponseCacheOptions, responseCache } from '../../src/caching/response-cache.ts'
import type { CallOptions } from '../../src/contracts/call-options.ts'
import type { ChunkDecision, Hook, RequestDecision, ResponseDecision } from '../../src/contracts/hook.ts'
import type { ApiKeyRecord, KeyChanges, KeySpec } from '../../src/contracts/key-store.ts'
import type { UsageQuery } from '../../src/contracts/ledger.ts'
import type { PartialOptions } from '../../src/contracts/partial-options.ts'
import type { LimitRuleData, Principal } from '../../src/contracts/principal.ts'
import type { Capabilities, Target } from '../../src/contracts/provider.ts'
import type { RoutedTarget } from '../../src/contracts/route.ts'
import type { GatewayOptions } from '../../src/gateway/config.ts'
import { type CorsOptions, withCors } from '../../src/gateway/with-cors.ts'
import { type OpenApiOptions, openApi } from '../../src/openapi/open-api.ts'
import { limits } from '../../src/rate-limiting/limits.ts'
import type { LimitsOptions } from '../../src/rate-limiting/limits-options.ts'
import { type MemoryLimitStoreOptions, memoryLimitStore } from '../../src/rate-limiting/memory-limit-store.ts'
import { limitRule, requests } from '../../src/rate-limiting/rule.ts'
import { models } from '../../src/routing/models.ts'
import { type GivenCallOptions, withCallOptions } from '../../src/routing/with-call-options.ts'
import {
  type MemoryResponseStoreOptions,
  memoryResponseStore,
} from '../../src/stores/memory-response-store.ts'
import type { LongContextPrice, ModelPrice } from '../../src/usage/model-price.ts'
import { priceTable } from '../../src/usage/price-table.ts'
import { rowsInMemory } from '../support/rows-in-memory.ts'
import { scripted, serving, whole } from '../support/scripted-gateway.ts'

/** Each optional member of some options, as `undefined`. */
type Undefined<Options> = {
  readonly [Name in keyof Options as undefined extends Options[Name] ? Name : never]: undefined
}

const gatewayOptions: Undefined<GatewayOptions> = {
  authorize: undefined,
  limits: undefined,
  prices: undefined,
  abandonedCalls: undefined,
  ledger: undefined,
  metadataTags: undefined,
  cache: undefined,
  responses: undefined,
  background: undefined,
  idempotency: undefined,
  bodies: undefined,
  hooks: undefined,
  loadShedder: undefined,
  observe: undefined,
  tracer: undefined,
  traceHeader: undefined,
  exposesCost: undefined,
  clientRequestId: undefined,
  transport: undefined,
  basePath: undefined,
  dialects: undefined,
  validation: undefined,
  unknownParameters: undefined,
  unsupportedParameters: undefined,
  requestLimits: undefined,
  timeouts: undefined,
  stream: undefined,
  maxAttempts: undefined,
  retry: undefined,
  breaker: undefined,
  sharedHealth: undefined,
  storeTimeoutMs: undefined,
  clock: undefined,
  now: undefined,
  generateId: undefined,
  random: undefined,
}

const limitsOptions: Undefined<LimitsOptions> = {
  store: undefined,
  onStoreFailure: undefined,
  instances: undefined,
  storeTimeoutMs: undefined,
  leaseMs: undefined,
  maxOutputTokens: undefined,
  maxUsers: undefined,
  wait: undefined,
  ietfHeaders: undefined,
  observe: undefined,
  clock: undefined,
  now: undefined,
  generateId: undefined,
}

const nested: GatewayOptions = {
  authenticate: () => ({ id: 'ann' }),
  route: models({ m: scripted(() => whole('Hi')).target }),
  abandonedCalls: { charge: undefined, outputTokensPerSecond: undefined, maxOutputTokens: undefined },
  background: { maxRunning: undefined, maxRunningPerPrincipal: undefined, maxMs: undefined },
  requestLimits: { maxBytes: undefined, maxDepth: undefined, deadlineMs: undefined, maxUploads: undefined },
  timeouts: { policyMs: undefined, connectMs: undefined, idleMs: undefined, totalMs: undefined },
  stream: { keepAliveMs: undefined, holdMs: undefined },
  retry: { baseMs: undefined, budget: undefined },
  breaker: { failures: undefined, openMs: undefined },
}

describe('an option that is undefined', () => {
  it('is accepted by the types of all options, and of what users write', () => {
    expectTypeOf<Undefined<GatewayOptions>>().toExtend<PartialOptions<GatewayOptions>>()
    expectTypeOf<Undefined<GatewayOptions>>().toExtend<Omit<GatewayOptions, 'authenticate' | 'route'>>()
    expectTypeOf<Undefined<LimitsOptions>>().toExtend<LimitsOptions>()
    // Not a secret: a variable that is not set would turn it off.
    expectTypeOf<Undefined<Omit<ApiKeysOptions, 'pepper'>>>().toExtend<ApiKeysOptions>()
    expectTypeOf<Undefined<Omit<KeyStoreOptions, 'pepper'>>>().toExtend<KeyStoreOptions>()
    expectTypeOf<Undefined<BatchedLedgerOptions>>().toExtend<BatchedLedgerOptions>()
    expectTypeOf<Undefined<IdempotencyOptions>>().toExtend<IdempotencyOptions>()
    expectTypeOf<Undefined<ResponseCacheOptions>>().toExtend<Omit<ResponseCacheOptions, 'ttlMs'>>()
    expectTypeOf<Undefined<MemoryCacheStoreOptions>>().toExtend<MemoryCacheStoreOptions>()
    expectTypeOf<Undefined<MemoryLimitStoreOptions>>().toExtend<MemoryLimitStoreOptions>()
    expectTypeOf<Undefined<MemoryResponseStoreOptions>>().toExtend<MemoryResponseStoreOptions>()
    expectTypeOf<Undefined<CorsOptions>>().toExtend<Omit<CorsOptions, 'origins'>>()
    expectTypeOf<Undefined<OpenApiOptions>>().toExtend<OpenApiOptions>()
    expectTypeOf<Undefined<CallOptions>>().toExtend<CallOptions>()
    expectTypeOf<Undefined<GivenCallOptions>>().toExtend<GivenCallOptions>()
    expectTypeOf<Undefined<Principal>>().toExtend<Omit<Principal, 'id'>>()
    expectTypeOf<Undefined<ApiKeyRecord>>().toExtend<Omit<ApiKeyRecord, 'id'>>()
    expectTypeOf<Undefined<LimitRuleData>>().toExtend<Omit<LimitRuleData, 'kind' | 'limit'>>()
    expectTypeOf<Undefined<KeySpec>>().toExtend<Omit<KeySpec, 'name'>>()
    expectTypeOf<Undefined<KeyChanges>>().toExtend<KeyChanges>()
    expectTypeOf<Undefined<Capabilities>>().toExtend<Capabilities>()
    expectTypeOf<Undefined<Target>>().toExtend<Omit<Target, 'provider' | 'model'>>()
    expectTypeOf<Undefined<RoutedTarget>>().toExtend<Omit<RoutedTarget, 'provider' | 'model'>>()
    expectTypeOf<Undefined<UsageQuery>>().toExtend<Omit<UsageQuery, 'by'>>()
    expectTypeOf<Undefined<ModelPrice>>().toExtend<Omit<ModelPrice, 'input' | 'output'>>()
    expectTypeOf<Undefined<LongContextPrice>>().toExtend<
      Omit<LongContextPrice, 'above' | 'input' | 'output'>
    >()
    expectTypeOf<Undefined<RequestDecision>>().toExtend<RequestDecision>()
    expectTypeOf<Undefined<ResponseDecision>>().toExtend<ResponseDecision>()
    expectTypeOf<Undefined<ChunkDecision>>().toExtend<ChunkDecision>()
    expectTypeOf({ key: 'k', id: 'a', models: undefined, tags: undefined }).toExtend<ApiKey>()
  })

  it.each(['all', ...Object.keys(gatewayOptions)])('is as if absent: %s of createGateway', async name => {
    const { target } = scripted(() => whole('Hi'))
    const options = name === 'all' ? gatewayOptions : { [name]: undefined }
    expect((await serving(target, options).post({})).status).toBe(200)
  })

  it('is as if absent: members of options that are objects', async () => {
    const { post } = serving(scripted(() => whole('Hi')).target, nested)
    expect((await post({})).status).toBe(200)
  })

  it.each(['all', ...Object.keys(limitsOptions)])('is as if absent: %s of limits', async name => {
    const options = name === 'all' ? limitsOptions : { [name]: undefined }
    const limiter = limits([requests(1).per('hour')], options)
    expect(limiter).not.toHaveProperty('maxWaitMs')
    const { post } = serving(scripted(() => whole('Hi')).target, { limits: limiter })
    expect((await post({})).status).toBe(200)
    expect((await post({})).status).toBe(429)
  })

  it('is as if absent: of stores, caches, keys, prices and other functions', async () => {
    const record: ApiKeyRecord = {
      id: 'ann',
      models: undefined,
      tags: undefined,
      limits: undefined,
      storeResponses: undefined,
      expiresAt: undefined,
      disabled: undefined,
    }
    const keysOptions: Undefined<Omit<ApiKeysOptions, 'pepper'>> = {
      source: undefined,
      format: undefined,
      cacheMs: undefined,
      maxUnknown: undefined,
      lookupMs: undefined,
      staleMs: undefined,
      observe: undefined,
      clock: undefined,
      now: undefined,
    }
    const rule: LimitRuleData = {
      ...{ kind: 'requests', limit: 1, per: 'hour' },
      ...{ currency: undefined, unpriced: undefined, scopes: undefined, models: undefined },
      ...{ operations: undefined, mode: undefined },
    }
    expect(limitRule(rule)).toEqual({ kind: 'requests', limit: 1, per: 'hour' })
    const price: ModelPrice = {
      ...{ input: 1, output: 2, cachedInput: undefined, cacheWrite: undefined, audioInput: undefined },
      ...{ audioOutput: undefined, perRequest: undefined, webSearch: undefined, searchUnit: undefined },
      ...{ longContext: undefined, tiers: undefined },
    }
    const keys = keyStore(rowsInMemory(), {
      prefix: undefined,
      now: undefined,
      random: undefined,
    })
    const { stored } = await keys.issue({
      name: 'ci',
      models: undefined,
      tags: undefined,
      limits: undefined,
      expiresAt: undefined,
    })
    expect(await keys.update(stored.id, { models: undefined, disabled: undefined })).toMatchObject({
      models: null,
      disabled: false,
    })
    const cacheStore = memoryCacheStore({
      maxEntries: undefined,
      maxEntriesPerOwner: undefined,
      maxBytes: undefined,
      now: undefined,
    })
    const hook: Hook = {
      name: 'own',
      timeoutMs: undefined,
      onFailure: undefined,
      models: undefined,
      operations: undefined,
      onRequest: () => ({ edits: undefined, model: undefined, tags: undefined, refuse: undefined }),
    }
    const { target } = scripted(() => whole('Hi'))
    const routed: RoutedTarget = {
      ...target,
      capabilities: { contextTokens: undefined, input: undefined, tools: undefined, operations: undefined },
      parameters: undefined,
      embeddingSpace: undefined,
      allowFields: undefined,
      callOptions: undefined,
      fallbackOn: undefined,
      hedgeAfterMs: undefined,
      shadows: undefined,
      via: undefined,
    }
    const own = withCallOptions(routed, {
      timeouts: { idleMs: undefined },
      maxAttempts: undefined,
      retry: undefined,
      breaker: undefined,
      limits: undefined,
    })
    const { post, gateway, ends } = serving(target, {
      authenticate: apiKeys(() => record, keysOptions),
      route: models({ m: own }),
      prices: priceTable({ m: price }),
      hooks: [hook],
      limits: limits([rule], { store: memoryLimitStore({ maxKeys: undefined, now: undefined }) }),
      cache: responseCache({
        ttlMs: 1_000,
        store: cacheStore,
        maxBytes: undefined,
        cacheable: undefined,
        embeddings: undefined,
        rerank: undefined,
        moderations: undefined,
        scope: undefined,
        storeTimeoutMs: undefined,
      }),
      idempotency: idempotency({
        store: undefined,
        ttlMs: undefined,
        maxBytes: undefined,
        storeTimeoutMs: undefined,
        onStoreFailure: undefined,
      }),
      responses: memoryResponseStore({
        maxResponses: undefined,
        maxBytes: undefined,
        ttlMs: undefined,
        now: undefined,
      }),
    })
    const headers = { 'content-type': 'application/json', authorization: 'Bearer sk-ann' }
    expect((await post({}, { headers })).status).toBe(200)
    expect(ends()).toMatchObject([{ outcome: 'completed', principal: { id: 'ann', source: 'api_keys' } }])
    expect(
      openApi({ validation: undefined, basePath: undefined, server: undefined }).matches('/openapi.json'),
    ).toBe(true)
    expect(() =>
      withCors(gateway, { origins: ['https://a.example'], maxAgeSeconds: undefined }),
    ).not.toThrow()
  })
})
