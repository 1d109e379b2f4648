import type { Gateway } from '@sluice/core'
import { afterAll, beforeAll, describe } from 'vitest'
import { mountsOfRun } from '../mounts/mounts-of-run.ts'
import { Site } from './site.ts'

/** The hosts at their root, under `/v1` and under a longer path. That nested mounts find their path is tested elsewhere. */
const chosen = mountsOfRun.filter(([name]) => !/nested|prefix|under koa-mount/.test(name))

/**
 * Registers tests once for each way to mount a gateway. The gateway and its server last for the whole block.
 * `inTurn: false` lets tests that mostly wait run side by side.
 */
export function overMounts(
  makeGateway: () => Gateway,
  tests: (site: Site) => void,
  { inTurn = true }: { readonly inTurn?: boolean } = {},
): void {
  const over = inTurn ? describe : describe.concurrent
  over.each(chosen)('%s', (_, mount) => {
    const site = new Site()
    const gateway = makeGateway()
    let close: (() => Promise<void>) | undefined

    beforeAll(async () => {
      const running = await mount(gateway)
      close = () => running.close()
      site.settle(running)
    })
    afterAll(async () => {
      await gateway.close({ drainMs: 1 })
      await close?.()
    })
    tests(site)
  })
}
