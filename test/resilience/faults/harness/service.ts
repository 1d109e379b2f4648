import {
  apiKeys,
  createGateway,
  type EndEvent,
  type GatewayEvent,
  type GatewayOptions,
  type Limiter,
  type ManagedGateway,
  type ModelEntry,
  models,
} from '@sluice/core'
import { openaiCompatible } from '@sluice/providers'
import type { Upstream } from '@sluice/testing'
import { expect, onTestFinished } from 'vitest'
import { Site } from '../../../e2e/conformance/site.ts'
import type { Mount } from '../../../e2e/mounts/mounts.ts'
import { type CountingLimiter, countingLimiter } from './leases.ts'

/** A gateway behind a server, watched: what happened in it, and what it has not given back. */
export interface Service {
  readonly gateway: ManagedGateway
  /** Asks it by raw sockets. */
  readonly site: Site
  readonly events: readonly GatewayEvent[]
  /** The records of what has ended so far. */
  readonly ends: readonly EndEvent[]
  readonly leases: CountingLimiter
  /** The `n`th record (default 1, the first), as soon as it is there. Rejects after 5 seconds. */
  end(n?: number): Promise<EndEvent>
}

/** What a service is made of. A model's entry, or the upstream that answers for it in the protocol. */
export interface ServiceParts extends Omit<Partial<GatewayOptions>, 'observe' | 'limits'> {
  readonly models: Readonly<Record<string, ModelEntry | Upstream>>
  /** Says who is let in; its leases are counted. Default: everybody. */
  readonly limits?: Limiter
}

/** The upstream's credential in every service: it must never be seen by a caller. */
export const upstreamKey = 'sk-upstream-canary-5f1d9a'

/**
 * Starts a service until the test ends; the caller's key is `good-key`. When the test ends, each request that was
 * let in has given its room back once, and has one record.
 */
export async function startService(mount: Mount, parts: ServiceParts): Promise<Service> {
  const { models: table, limits, ...options } = parts
  const events: GatewayEvent[] = []
  const ends: EndEvent[] = []
  const waiting = new Set<() => void>()
  const leases = countingLimiter(limits)
  const gateway = createGateway({
    authenticate: apiKeys([{ id: 'ann', key: 'good-key' }]),
    route: models(Object.fromEntries(Object.entries(table).map(([name, it]) => [name, entryOf(it)]))),
    timeouts: { firstByteMs: 5_000, responseMs: 5_000, idleMs: 5_000 },
    // What one failure is told as shows where no target is asked again, nor left alone.
    retry: false,
    breaker: false,
    ...options,
    limits: leases,
    observe(event) {
      events.push(event)
      if (event.type !== 'end') return
      ends.push(event)
      for (const look of waiting) look()
    },
  })
  const running = await mount(gateway)
  const site = new Site()
  site.settle(running)
  onTestFinished(async () => {
    await gateway.close({ drainMs: 1_000 })
    await running.close()
    const ids = ends.map(({ requestId }) => requestId)
    expect(new Set(ids).size, 'one record a request').toBe(ids.length)
    expect(leases.settled.length, 'leases settled').toBe(leases.admitted)
    expect(ends.length, 'records of admitted requests').toBeGreaterThanOrEqual(leases.admitted)
  })
  const end = (n = 1) =>
    new Promise<EndEvent>((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting.delete(look)
        reject(new Error(`service: got ${ends.length} records, expected ${n}`))
      }, 5_000)
      const look = () => {
        const event = ends[n - 1]
        if (event === undefined) return
        clearTimeout(timer)
        waiting.delete(look)
        resolve(event)
      }
      waiting.add(look)
      look()
    })
  return { gateway, site, events, ends, leases, end }
}

function entryOf(it: ModelEntry | Upstream): ModelEntry {
  return typeof it !== 'string' && 'baseURL' in it
    ? openaiCompatible({ name: 'vendor', baseURL: it.baseURL, apiKey: upstreamKey })('its-model')
    : it
}
