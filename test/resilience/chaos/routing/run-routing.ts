import { setTimeout as sleep } from 'node:timers/promises'
import { createGateway, type EndEvent, leastBusy, models, type Observer } from '@sluice/core'
import { serve } from '@sluice/node'
import { openaiCompatible } from '@sluice/providers'
import { seededRandom } from '@sluice/testing'
import { ask, chat } from '../../soak/driver/ask.ts'
import { clientEnd } from '../traffic/client-end.ts'
import { aloneHeader, MoodyUpstream } from './moody-upstream.ts'
import type { Asked, LeftAlone, RoutingLogs } from './routing-log.ts'
import type { RoutingPlan } from './routing-plan.ts'
import { weather } from './weather.ts'

/** Runs a gateway over three upstreams whose moods change, and clients who ask it, and each upstream alone. */
export async function runRouting(plan: RoutingPlan, tell: (line: string) => void): Promise<RoutingLogs> {
  const chance = seededRandom(plan.seed)
  const spells = weather(plan, chance)
  await using first = await MoodyUpstream.start(plan.slowMs)
  await using second = await MoodyUpstream.start(plan.slowMs)
  await using third = await MoodyUpstream.start(plan.slowMs)
  const upstreams = [first, second, third]

  const ends: { at: number; event: EndEvent }[] = []
  const leftAlone: LeftAlone[] = []
  const alarms: string[] = []
  const observe: Observer = event => {
    if (event.type === 'end') ends.push({ at: performance.now(), event })
    if (event.type === 'target' && (event.state === 'open' || event.state === 'cooldown')) {
      const upstream = Number(event.provider.at(-1))
      leftAlone.push({ at: performance.now(), upstream, waitMs: event.waitMs })
    }
    if (event.type === 'internal_error' || (event.type === 'end' && event.outcome === 'internal_error')) {
      alarms.push(`internal error: ${String(event.error)}`)
    }
  }
  const targets = upstreams.map(({ port }, at) =>
    openaiCompatible({ name: `up${at}`, baseURL: `http://127.0.0.1:${port}/v1`, apiKey: 'sk-up' })(
      'its-model',
    ),
  )
  const gateway = createGateway({
    authenticate: () => ({ id: 'ann' }),
    route: models({ plain: leastBusy(...targets) }),
    breaker: { openMs: plan.openMs, maxOpenMs: plan.maxOpenMs },
    timeouts: { connectMs: 500, firstByteMs: plan.firstByteMs, responseMs: plan.firstByteMs },
    observe,
  })
  const serving = await serve(gateway, { port: 0, signals: false })
  await using _ = { [Symbol.asyncDispose]: () => serving.close({ drainMs: 5_000 }) }

  const startedAt = performance.now()
  let going = true
  const one = async (port: number, stream: boolean, headers: Record<string, string>): Promise<Asked> => {
    const at = performance.now()
    const pieces: Buffer[] = []
    const body = chat('Hello', { stream, ...(stream && { stream_options: { include_usage: true } }) })
    const told = await ask({ port, id: '', body, headers, onData: piece => pieces.push(piece) }).told
    const end = clientEnd({ ...told, body: Buffer.concat(pieces).toString() }, stream)
    return { at, ms: performance.now() - at, stream, status: told.status, end }
  }
  const load = async (port: number, everyMs: number, headers = {}): Promise<Asked[]> => {
    const running: Promise<Asked>[] = []
    for (let count = 0; going; count++) {
      running.push(one(port, count % 2 === 0, headers))
      const due = startedAt + (count + 1) * everyMs
      await sleep(Math.max(0, due - performance.now()))
    }
    return Promise.all(running)
  }
  const loads = [
    load(serving.port, plan.everyMs),
    ...upstreams.map(({ port }) => load(port, plan.aloneEveryMs, { [aloneHeader]: 'yes' })),
  ]
  for (const { from, to, moods } of spells) {
    await Promise.all(upstreams.map((upstream, at) => upstream.become(moods[at] ?? 'well')))
    tell(`${Math.round(from / 1000)} s: ${moods.join(', ')}`)
    await sleep(Math.max(0, startedAt + to - performance.now()))
  }
  going = false
  const [throughGateway = [], ...alone] = await Promise.all(loads)
  const answered = upstreams.map(upstream => upstream.answered)
  return { startedAt, spells, throughGateway, alone, answered, leftAlone, ends, alarms }
}
