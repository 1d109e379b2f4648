import { apiKeys, createGateway, type Gateway, GatewayError, type ModelEntry, models } from '@sluice/core'
import { openaiCompatible } from '@sluice/providers'
import { local } from '@sluice/providers/local'
import { misbehaviours, startUpstream, type Upstream } from '@sluice/testing'
import { afterAll, beforeAll, describe } from 'vitest'
import { mounts } from '../mounts/mounts.ts'

/** Where a client finds the gateway: over HTTP, or in its own process through `fetch`. */
export interface Service {
  readonly baseURL: string
  readonly fetch: typeof fetch | undefined
  /** A vendor that begins each answer and then says nothing more: the model `hanging`. */
  readonly upstream: Upstream
  /** How often a model was asked for. */
  asked(model: string): number
}

const places = ['node http', 'express 5', 'koa 3']

/** Registers tests for each place where clients meet the gateway. The keys are `good-key` and `narrow-key`. */
export function overServices(tests: (service: Service) => void): void {
  describe.each([...places, 'in process'])('%s', place => {
    const counts = new Map<string, number>()
    const running: { baseURL?: string; fetch?: typeof fetch; upstream?: Upstream } = {}
    const closing: (() => Promise<void>)[] = []

    beforeAll(async () => {
      const upstream = await startUpstream(misbehaviours['hang-mid-stream'])
      const gateway = makeGateway(upstream, model => counts.set(model, (counts.get(model) ?? 0) + 1))
      closing.push(() => gateway.close({ drainMs: 1 }))
      running.upstream = upstream
      if (place === 'in process') {
        running.baseURL = 'http://gateway.test/v1'
        running.fetch = gateway.fetch as typeof fetch
      } else {
        const mounted = await mounts[place]!(gateway)
        running.baseURL = mounted.baseURL
        closing.push(() => mounted.close())
      }
      closing.push(() => upstream.close())
    })
    afterAll(async () => {
      for (const close of closing) await close()
    })
    tests({
      get baseURL() {
        return running.baseURL!
      },
      get fetch() {
        return running.fetch
      },
      get upstream() {
        return running.upstream!
      },
      asked: model => counts.get(model) ?? 0,
    })
  })
}

function makeGateway(upstream: Upstream, count: (model: string) => void): Gateway {
  const answers = local()('answers')
  const scripted = local({
    script: ({ model }) =>
      model === 'slow'
        ? { text: 'slow but sure', delayMs: 60, chunkDelayMs: 60 }
        : { text: 'one two three', cutAfter: 2 },
  })
  let busy = 0
  const table: Record<string, ModelEntry> = {
    local: local()('local'),
    'vendor/x': answers,
    slow: scripted('slow'),
    broken: scripted('broken'),
    hanging: openaiCompatible({ name: 'vendor', baseURL: upstream.baseURL })('hanging'),
    'busy-once': () => {
      if (busy++ % 2 === 1) return [answers]
      throw new GatewayError('rate_limit_exceeded', {
        headers: { 'retry-after': '1', 'retry-after-ms': '20' },
      })
    },
    busy: () => {
      throw new GatewayError('rate_limit_exceeded', {
        headers: { 'retry-after': '1', 'retry-after-ms': '20' },
      })
    },
    unpaid: () => {
      throw new GatewayError('insufficient_quota')
    },
    failing: () => {
      throw new Error('a fault')
    },
  }
  const route = models(table)
  return createGateway({
    authenticate: apiKeys([
      { id: 'ann', key: 'good-key' },
      { id: 'bob', key: 'narrow-key', models: ['vendor/*'] },
    ]),
    route: Object.assign((...asking: Parameters<typeof route>) => {
      count(asking[0].model)
      return route(...asking)
    }, route),
    stream: { keepAliveMs: 20 },
  })
}
