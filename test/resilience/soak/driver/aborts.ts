import { setTimeout as sleep } from 'node:timers/promises'
import { ask, chat } from './ask.ts'
import type { World } from './world.ts'

/** Where a request stands when its client leaves. */
export interface AbortPhase {
  readonly name: string
  /** At the upstream behind the gateway; in the gateway's queue; at the upstream itself, without a gateway. */
  readonly at: 'upstream' | 'queue' | 'no gateway'
  readonly script: string
  readonly stream: boolean
  /** The client leaves at a moment within so many milliseconds after the request came there. */
  readonly within: number
}

const streamed = { at: 'upstream', stream: true, within: 50 } as const
const whole = { ...streamed, stream: false }

export const abortPhases: readonly AbortPhase[] = [
  // What the clients, the upstream and the machine take by themselves.
  { ...streamed, name: 'the upstream itself', script: 'before-head', at: 'no gateway' },
  { ...streamed, name: 'queued', script: 'before-head', at: 'queue' },
  { ...streamed, name: 'before the headers', script: 'before-head' },
  // Beyond the quarter of a second that the gateway holds its own head back.
  { ...streamed, name: 'before the first token', script: 'before-text', within: 500 },
  { ...streamed, name: 'mid-stream', script: 'mid-stream', within: 1_000 },
  { ...whole, name: 'not streamed, before the headers', script: 'before-head' },
  { ...whole, name: 'not streamed, mid-body', script: 'mid-body' },
]

/**
 * A client leaves by a reset of its connection. Gives the milliseconds until the upstream's connection was closed; for
 * one that waits for its turn, until the record was made, for no upstream has heard of it.
 */
export async function abort({ at, script, stream, within }: AbortPhase, world: World): Promise<number> {
  const { id, port: mount } = world.next()
  const port = at === 'no gateway' ? world.upstreamPort : mount
  const model = at === 'queue' ? 'one-at-a-time' : 'plain'
  const asked = ask({ port, id, body: chat(`${script} ${id}`, { model, stream }) })
  await (at === 'queue' ? world.queued : world.reached).take(id)
  await sleep(world.random() * within)
  const left = asked.leave()
  if (at === 'no gateway') return (await world.closed.take(id)) - left
  const record = await world.expectRecord(id, 'client_disconnected')
  if (at === 'upstream') return (await world.closed.take(id)) - left
  if (world.reached.has(id)) throw new Error('the upstream was asked')
  return record.at - left
}
