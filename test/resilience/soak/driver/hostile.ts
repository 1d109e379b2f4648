import { ask, chat } from './ask.ts'
import { expectTold } from './expect-told.ts'
import type { World } from './world.ts'

/** A kind of input that is meant to hold up the event loop. */
export interface HostilePhase {
  readonly name: string
  /** How many, and how many at once. */
  readonly times: number
  readonly atOnce: number
  run(world: World): Promise<void>
}

const said = '"messages":[{"role":"user","content":"x"}]'
const deep = `{"model":"plain",${said},"metadata":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}}`
const distinct = Array.from({ length: 45_000 }, (_, at) => `"k${at}":"v"`).join(',')
const twice = `{"model":"plain",${said},"metadata":{${distinct},"k0":"v"}}`
const message = '{"role":"user","content":"x"}'
const chatty = `{"model":"plain","messages":[${Array(200_000).fill(message).join(',')}]}`
const tools = `{"model":"plain",${said},"tools":[${Array(1_000_000).fill('{}').join(',')}]}`
const stops = `{"model":"plain",${said},"stop":[${Array(90_000).fill('"stop"').join(',')}]}`

const inputs: readonly (readonly [name: string, body: string])[] = [
  ['100,000 levels', deep],
  ['a duplicate after 45,000 keys', twice],
  ['200,000 messages', chatty],
  ['1,000,000 tools', tools],
  ['90,000 stop strings', stops],
]

/** @param share how much of the whole measure, up to 1 */
export function hostilePhases(share: number): readonly HostilePhase[] {
  const times = (count: number) => Math.max(1, Math.round(count * share))
  const most = 5_000_000 * Math.max(share, 0.1)
  return [
    ...inputs.map(([name, body]) => ({
      name,
      times: times(100),
      atOnce: 1,
      async run(world: World) {
        const { id, port } = world.next()
        expectTold(await ask({ port, id, body }).told, 400, 'error')
        await world.expectRecord(id, 'refused', 400)
      },
    })),
    {
      name: 'one endless event, cut at 8 MiB',
      times: times(20),
      atOnce: 1,
      async run(world) {
        const { id, port } = world.next()
        const told = await ask({ port, id, body: chat(`endless-event ${id}`, { stream: true }) }).told
        expectTold(told, undefined, 'error')
        await world.expectRecord(id, 'upstream_failed', told.status)
      },
    },
    {
      name: '30 clients leave after 5 MB each',
      times: times(30),
      atOnce: 30,
      async run(world) {
        const { id, port } = world.next()
        let bytes = 0
        await new Promise<void>(resolve => {
          const asked = ask({
            port,
            id,
            body: chat(`long ${id}`, { stream: true }),
            onData(piece, response) {
              bytes += piece.length
              if (bytes >= most) {
                asked.leave()
                resolve()
                return
              }
              // What is measured is what comes of their leaving, not how fast a stream can be.
              response.pause()
              setTimeout(() => response.resume(), 100)
            },
          })
          void asked.told.then(() => resolve())
        })
        await world.expectRecord(id, 'client_disconnected', 200)
      },
    },
    {
      name: '1,000,000 events of one character',
      times: 1,
      atOnce: 1,
      async run(world) {
        const { id, port } = world.next()
        expectTold(
          await ask({ port, id, body: chat(`tiny-events ${id}`, { stream: true }) }).told,
          200,
          'done',
        )
        await world.expectRecord(id, 'completed', 200)
      },
    },
  ]
}

/** Runs a phase; each exchange that goes wrong is a failure. */
export async function runHostile(phase: HostilePhase, world: World): Promise<void> {
  let left = phase.times
  const worker = async () => {
    while (left-- > 0) await world.exchange(phase.name, () => phase.run(world))
  }
  await Promise.all(Array.from({ length: phase.atOnce }, worker))
}
