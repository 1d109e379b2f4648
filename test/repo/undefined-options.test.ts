import { redact, requireJson, systemPrompt, webhook } from '@sluice/hooks'
import { jwt } from '@sluice/jwt'
import { openai } from '@sluice/providers'
import { redisCacheStore, redisHealth, redisLimitStore, redisResponseStore } from '@sluice/redis'
import { openSqlite } from '@sluice/sqlite'
import { probes, requestLog } from '@sluice/telemetry'
import { openTelemetry } from '@sluice/telemetry/opentelemetry'
import { prometheus } from '@sluice/telemetry/prometheus'
import { describe, expect, it } from 'vitest'

// The types accept `undefined` for every option that may be omitted, under `exactOptionalPropertyTypes`: `tsc` checks that
// here. Those of core are in packages/core/test/gateway/undefined-options.test.ts.

const redis = { evalSha: async () => null, eval: async () => null }
const hook = {
  name: undefined,
  models: undefined,
  appliesTo: undefined,
  onFailure: undefined,
  timeoutMs: undefined,
}

const calls: Readonly<Record<string, () => unknown>> = {
  jwt: () =>
    jwt({
      issuer: 'https://login.test/',
      audience: 'https://llm.test',
      secret: 'a secret of thirty-two bytes ...',
      ...{ jwks: undefined, publicKey: undefined, algorithms: undefined, typ: undefined, source: undefined },
      ...{ claims: undefined, clockToleranceS: undefined, maxTokenAgeS: undefined, timeoutMs: undefined },
      ...{ cacheMs: undefined, staleMs: undefined, observe: undefined, fetch: undefined, now: undefined },
    }),
  redact: () =>
    redact({
      ...hook,
      ...{ kinds: undefined, direction: undefined, restore: undefined, placeholder: undefined },
      patterns: [{ name: 'id', pattern: /id-\d+/, maxLength: undefined }],
    }),
  requireJson: () =>
    requireJson({ ...hook, schema: undefined, retry: undefined, when: undefined, now: undefined }),
  systemPrompt: () => systemPrompt('Be brief.', { ...hook, position: undefined }),
  webhook: () =>
    webhook({
      ...hook,
      url: 'https://moderation.test/',
      secret: 'a-secret-of-16-characters',
      ...{ direction: undefined, maxResponseBytes: undefined, allowPrivateAddresses: undefined },
      ...{ fetch: undefined, now: undefined, random: undefined },
    }),
  redisCacheStore: () => redisCacheStore(redis, { prefix: undefined, maxEntriesPerOwner: undefined }),
  redisHealth: () => redisHealth(redis, { prefix: undefined }),
  redisLimitStore: () => redisLimitStore(redis, { prefix: undefined }),
  redisResponseStore: () =>
    redisResponseStore(redis, {
      ...{
        prefix: undefined,
        ttlMs: undefined,
        maxResponsesPerOwner: undefined,
        maxBytesPerOwner: undefined,
      },
    }),
  probes: () =>
    probes({ ready: true }, { live: undefined, ready: undefined, checks: undefined, timeoutMs: undefined }),
  requestLog: () =>
    requestLog({
      ...{ write: undefined, format: undefined, colours: undefined, logger: undefined },
      ...{ errorMessages: undefined, now: undefined },
    }),
  openTelemetry: () =>
    openTelemetry({
      ...{ tracerProvider: undefined, meterProvider: undefined, incoming: undefined, outgoing: undefined },
      ...{ tags: undefined, principal: undefined, user: undefined, content: undefined },
    }),
  prometheus: () =>
    prometheus({
      ...{
        registry: undefined,
        prefix: undefined,
        tagLabels: undefined,
        buckets: undefined,
        path: undefined,
      },
      ...{ maxLabelValues: undefined, defaultMetrics: undefined, group: undefined },
    }),
}

describe('an option that is undefined', () => {
  it.each(Object.keys(calls))('is as if absent: %s', name => {
    expect(calls[name]).not.toThrow()
  })

  it('is as if absent: openSqlite', async () => {
    const database = await openSqlite(
      { url: ':memory:' },
      {
        ...{
          migrate: undefined,
          driver: undefined,
          timeoutMs: undefined,
          journal: undefined,
          observe: undefined,
        },
        ...{ maxPending: undefined, heartbeatMs: undefined, silentMs: undefined, clock: undefined },
        ...{ prefix: undefined, now: undefined, random: undefined },
      },
    )
    const { key } = await database.keys.issue({ name: 'ci' })
    expect(key).toMatch(/^sluice_/)
    await database.close()
  })

  it('leaves the known capabilities of a model as they are', () => {
    const known = openai({ apiKey: 'k' })('o9').capabilities
    expect(known).toEqual({ reasoning: true })
    expect(openai({ apiKey: 'k' })('o9', { reasoning: undefined, tools: undefined }).capabilities).toEqual(
      known,
    )
  })
})
