import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { bundledProgram } from '../../../../scripts/bundle-program.mjs'
import { type StopCounts, sendUntilRefused, sendWithoutWaiting } from './stop-client.ts'
import type { StopPlan } from './stop-plan.ts'

/** Stops a gateway in a process of its own under load, and counts what became of every request. */
export async function runStops(plan: StopPlan): Promise<StopCounts> {
  const counts: StopCounts = { answered: new Map(), lost: new Map(), refused: 0 }
  for (let round = 0; round < plan.rounds; round++) await runStop(plan, counts)
  return counts
}

async function runStop(plan: StopPlan, counts: StopCounts): Promise<void> {
  const { busyMs, keeping, connecting, storming, random } = plan
  const main = await bundledProgram(fileURLToPath(new URL('gateway-main.ts', import.meta.url)))
  const child = fork(main, { execArgv: [] })
  try {
    const [port] = (await once(child, 'message')) as [number]
    const ended = once(child, 'exit')
    const kept = { perConnection: Number.POSITIVE_INFINITY, pauseMs: () => random() * 4 }
    const fresh = { perConnection: 1, pauseMs: () => random() * 2 }
    const clients = [
      ...Array.from({ length: keeping }, () => sendUntilRefused(port, kept, counts)),
      ...Array.from({ length: connecting }, () => sendUntilRefused(port, fresh, counts)),
      ...Array.from({ length: storming }, () => sendWithoutWaiting(port, () => random() * 4, counts)),
    ]
    await sleep(busyMs[0] + (busyMs[1] - busyMs[0]) * random())
    child.kill('SIGTERM')
    await Promise.all(clients)
    const [code] = await ended
    if (code !== 0) throw new Error(`The gateway ended with ${code}, expected 0.`)
  } finally {
    child.kill('SIGKILL')
  }
}
