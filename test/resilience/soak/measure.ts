import { setTimeout as sleep } from 'node:timers/promises'
import { hostilePhases, runHostile } from './driver/hostile.ts'
import { LiveClients } from './driver/live-clients.ts'
import { Leavers, mixedTraffic } from './driver/traffic.ts'
import type { World } from './driver/world.ts'
import type { SoakPlan } from './plan.ts'
import type { Gateway, Upstream } from './process/child.ts'
import type { Holdings, MemorySample } from './process/messages.ts'
import type { SoakResult } from './soak-result.ts'

/** The processes of a soak, but for the one that drives it. */
export interface Processes {
  readonly gateway: Gateway
  readonly upstream: Upstream
}

type Measured = Omit<SoakResult, 'plan' | 'exchanges' | 'failures' | 'alarms' | 'books'>

/** Does all that a soak does, with processes that run already. */
export async function measure(
  plan: SoakPlan,
  world: World,
  { gateway, upstream }: Processes,
  say: (line: string) => void,
): Promise<Measured> {
  const delays: SoakResult['delays'][number][] = []
  const delayOf = async (phase: string, hostile: boolean, run: () => Promise<void>) => {
    await gateway.ask('delay begins')
    await run()
    delays.push({ phase, hostile, delay: await gateway.ask('delay so far') })
  }

  say('warming up')
  await warmUp(plan, world)
  await restOf(world, gateway, upstream)
  const rested = await gateway.ask('memory')
  const before = await gateway.ask('holdings')

  say(`opening ${plan.liveStreams} live streams`)
  const live = new LiveClients(world)
  // One more holds the only slot of its provider, so that others have to wait for theirs.
  await live.open('one-at-a-time')
  await live.openAll(plan.liveStreams)
  await restOf(world, gateway, upstream)
  const held = await gateway.ask('memory')

  say(`mixed traffic for ${plan.seconds} seconds`)
  const leavers = new Leavers(plan, world)
  const memory: MemorySample[] = []
  await delayOf('mixed traffic', false, async () => {
    const mixed = mixedTraffic(plan, world)
    const end = performance.now() + plan.seconds * 1_000
    while (performance.now() < end) {
      mixed.start()
      leavers.load.start()
      await sleep(Math.min(plan.sampleSeconds * 1_000, end - performance.now()))
      await Promise.all([mixed.pause(), leavers.load.pause()])
      // Idle connections would be counted, a different number each time.
      await restOf(world, gateway, upstream)
      const sample = await gateway.ask('memory')
      memory.push(sample)
      say(`${world.exchanges} exchanges, ${(sample.used / 2 ** 20).toFixed(2)} MiB in use`)
    }
    await leavers.load.finish()
  })

  say('hostile inputs')
  for (const phase of hostilePhases(plan.hostile))
    await delayOf(phase.name, true, () => runHostile(phase, world))

  say('the end of the live streams')
  const { words } = await upstream.ask('end live streams')
  await live.expectEnd(words)
  const upstreamLeft = await restOf(world, gateway, upstream, before)
  const after = await gateway.ask('holdings')
  return { rested, held, memory, before, after, upstreamLeft, aborts: leavers.measured(), delays }
}

/** Everything once, so that what is made once is there. */
async function warmUp(plan: SoakPlan, world: World): Promise<void> {
  const mixed = mixedTraffic(plan, world)
  mixed.start()
  await sleep(plan.warmUpSeconds * 1_000)
  await mixed.pause()
  for (const phase of hostilePhases(0)) await runHostile(phase, world)
}

/**
 * Waits until the gateway holds no connection but those of live streams, for at most 15 seconds: idle ones are kept for
 * a while. Gives how many connections to the upstream are left beside.
 */
async function restOf(world: World, gateway: Gateway, upstream: Upstream, goal?: Holdings): Promise<number> {
  world.agent.destroy()
  for (const end = performance.now() + 15_000; ; await sleep(100)) {
    const { connections, live } = await upstream.ask('count')
    const { resources } = await gateway.ask('holdings')
    // A live stream has one connection on either side of the gateway.
    const idle = (resources.TCPSocketWrap ?? 0) - 2 * live
    const timers = goal === undefined || resources.Timeout === goal.resources.Timeout
    if ((connections === live && idle === 0 && timers) || performance.now() > end) return connections - live
  }
}
