import { fileURLToPath } from 'node:url'
import { bundledProgram } from '../../../scripts/bundle-program.mjs'
import { World } from './driver/world.ts'
import { measure } from './measure.ts'
import type { SoakPlan } from './plan.ts'
import { Child, type Gateway, killChildren, type Upstream } from './process/child.ts'
import type { SoakResult } from './soak-result.ts'

/** Runs a soak. Whatever happens, its processes have ended when this has. `say` is told what goes on. */
export async function runSoak(plan: SoakPlan, say: (line: string) => void): Promise<SoakResult> {
  const alarms: string[] = []
  const [upstreamScript, gatewayScript] = await Promise.all([
    bundledProgram(fileURLToPath(new URL('./upstream/upstream-process.ts', import.meta.url))),
    bundledProgram(fileURLToPath(new URL('./gateway/gateway-process.ts', import.meta.url))),
  ])
  const upstream: Upstream = new Child('upstream', upstreamScript)
  try {
    upstream.on('alarm', alarm => alarms.push(`upstream: ${alarm}`))
    const upstreamPort = await upstream.next('listening')
    const gateway: Gateway = new Child('gateway', gatewayScript, [`${upstreamPort}`], ['--expose-gc'])
    gateway.on('alarm', alarm => alarms.push(`gateway: ${alarm}`))
    const mounts = await gateway.next('listening')
    const world = new World(
      mounts.map(({ port }) => port),
      upstreamPort,
      gateway,
      upstream,
    )
    const measured = await measure(plan, world, { gateway, upstream }, say)
    await gateway.ask('close')
    const books = await gateway.ask('books')
    await gateway.stop()
    await upstream.stop()
    return { plan, exchanges: world.exchanges, failures: world.failures, alarms, books, ...measured }
  } finally {
    killChildren()
  }
}
