import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '../../stores/servers/redis-server.ts'
import { type Exit, GatewayProcess } from './gateway/gateway-process.ts'
import type { GatewaySettings } from './gateway/gateway-settings.ts'
import type { Trouble } from './outages.ts'
import type { ChaosPlan } from './plan.ts'
import type { Returns } from './returns.ts'
import type { Crowd } from './traffic/crowd.ts'

/** One process of the gateway, and how it ended. Times are milliseconds of `performance.now()`. */
export interface Generation {
  readonly signal: 'SIGTERM' | 'SIGKILL'
  readonly trouble: string | undefined
  /** Answers that were under way at the signal. */
  readonly live: number
  readonly signalledAt: number
  /** What ended from then on may have lost its last word to a store: never, where the process was told to stop. */
  readonly doubtFrom: number
  readonly exit: Exit
  readonly alarms: readonly string[]
}

export interface RoundOptions {
  readonly plan: ChaosPlan
  readonly crowd: Crowd
  readonly settings: GatewaySettings
  readonly random: () => number
  readonly returns: Returns
}

/** Starts a process, lets it work, takes a store away from it if there is trouble, and ends it. */
export async function runRound(
  index: number,
  trouble: Trouble | undefined,
  options: RoundOptions,
): Promise<Generation> {
  const { plan, crowd, settings, random, returns } = options
  const between = ([from, to]: readonly [number, number]) => from + (to - from) * random()
  const signal = index % 2 === 0 ? 'SIGTERM' : 'SIGKILL'
  const gateway = await GatewayProcess.start(settings)
  let bringBack: (() => Promise<void>) | undefined
  let exit: Exit | undefined
  try {
    crowd.address = { port: gateway.port, generation: index }
    await sleep(between(plan.busyMs))
    for (const store of await returns.all()) await worksAgain(gateway, store, plan.graceMs)
    const awayFrom = performance.now()
    if (trouble !== undefined && plan.awayMs !== undefined) {
      bringBack = await trouble.begin()
      await sleep(between(plan.awayMs))
      const through = signal === 'SIGTERM' ? trouble.throughStop : trouble.throughKill
      if (!through) {
        await bringBack()
        bringBack = undefined
        await worksAgain(gateway, trouble.store, plan.graceMs)
      }
    }
    const doubt = bringBack !== undefined && trouble?.store === 'limits' ? awayFrom : performance.now()
    const { live } = crowd
    if (signal === 'SIGKILL') crowd.address = undefined
    const signalledAt = performance.now()
    exit = await gateway.end(signal)
    crowd.address = undefined
    return {
      signal,
      trouble: trouble && `${trouble.what}${bringBack === undefined ? '' : `, through the ${signal}`}`,
      live,
      signalledAt,
      doubtFrom: signal === 'SIGTERM' ? Number.POSITIVE_INFINITY : doubt - plan.graceMs,
      exit,
      alarms: gateway.alarms,
    }
  } finally {
    crowd.address = undefined
    if (exit === undefined) await gateway.end('SIGKILL')
    // The next process starts without it.
    if (trouble !== undefined && bringBack !== undefined) {
      returns.after(2_000 * random(), trouble.store, bringBack)
    }
  }
}

/** What waited for the store has been told to it, too. */
export async function worksAgain(gateway: GatewayProcess, store: string, graceMs: number): Promise<void> {
  const from = performance.now()
  const since = () => Math.max(from, gateway.workingSince(store) ?? from)
  await until(() => gateway.works(store) && performance.now() - since() >= 2 * graceMs, 30_000)
}
