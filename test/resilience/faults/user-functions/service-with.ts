import { apiKeys, createGateway, type GatewayOptions, models, type Usage } from '@sluice/core'
import { openaiCompatible } from '@sluice/providers'
import { steps, type Upstream } from '@sluice/testing'
import { expect, onTestFinished } from 'vitest'
import { Site } from '../../../e2e/conformance/site.ts'
import type { Mount } from '../../../e2e/mounts/mounts.ts'
import { upstreamDuring } from '../harness/upstream.ts'
import { watchedEnds } from '../harness/watched-ends.ts'

const policyMs = 60

/** For functions that hang beside an upstream. */
export const impatient = { policyMs, firstByteMs: 200, responseMs: 200, idleMs: 200, totalMs: 500 }

/** A service with functions of the user's; what it answers, what it records, and what room it holds. */
export async function serviceWith(mount: Mount, given: Partial<GatewayOptions>) {
  const upstream = await upstreamDuring(steps.answer())
  const ends = watchedEnds()
  const settled: (Usage | undefined)[] = []
  let admitted = 0
  const gateway = createGateway({
    authenticate: apiKeys([{ id: 'ann', key: 'good-key' }]),
    route: models({ local: entryOf(upstream) }),
    limits: {
      admit: () => {
        admitted++
        return { headers: {}, settle: usage => void settled.push(usage) }
      },
    },
    observe: ends.observe,
    timeouts: { policyMs, firstByteMs: 10_000, responseMs: 10_000, idleMs: 10_000 },
    // What one failure comes to is seen sooner where nothing is asked again.
    retry: false,
    ...given,
  })
  const running = await mount(gateway)
  const site = new Site()
  site.settle(running)
  onTestFinished(async () => {
    await gateway.close({ drainMs: 1_000 })
    await running.close()
    expect(settled.length, 'leases settled').toBe(admitted)
  })
  return { site, upstream, ends, settled, admitted: () => admitted }
}

export const entryOf = (upstream: Upstream) =>
  openaiCompatible({ name: 'vendor', baseURL: upstream.baseURL, apiKey: 'k' })('its-model')
