import { RedisServer, redisPath } from '../../test/stores/servers/redis-server.ts'
import { drive } from '../drive.ts'
import { figure, median } from '../figures.ts'
import type { Plan } from '../plan.ts'
import { asAnn } from '../questions.ts'
import { notMeasured, type Row } from '../row.ts'
import { Subject } from '../subject.ts'
import { inTurns } from '../turns.ts'

const what = 'a stored second turn of the Responses API, with Redis: latency added at the median'
const goal = '<= 1 ms'
const path = '/v1/responses'
const model = 'gpt-4o'
const message = (role: string, content: string) => ({ type: 'message', role, content })
const first = message('user', 'What is 12 * 7?')
const second = message('user', 'And half of it?')

/** A second turn that names the first, against one that sends it and stores nothing. One connection. */
export async function measureResponses(plan: Plan): Promise<Row[]> {
  const { runtime, upstream, seconds } = plan
  if (redisPath === undefined) return [notMeasured('responses', what, goal, 'there is no redis-server')]
  const server = await RedisServer.start()
  try {
    const subject = await Subject.start('sluice-redis', upstream.url, runtime, { redis: server.url })
    try {
      const { id, output } = await respond(subject.port)
      const bodies = {
        stored: JSON.stringify({ model, previous_response_id: id, input: [second] }),
        sent: JSON.stringify({ model, input: [first, ...output, second], store: false }),
      }
      const p50 = async (body: string) => {
        const load = { port: subject.port, path, headers: asAnn, body, connections: 1, seconds: seconds / 2 }
        return median((await drive(load)).latencies)
      }
      for (const body of Object.values(bodies)) await p50(body)
      const rounds = await inTurns(plan, [() => p50(bodies.stored), () => p50(bodies.sent)])
      const ms = median(rounds.map(([stored, sent]) => stored! - sent!))
      return [{ id: 'responses', what, figure: figure(ms, 'ms'), value: ms, goal, met: ms <= 1 }]
    } finally {
      await subject.stop()
    }
  } finally {
    await server.stop()
  }
}

interface Turn {
  readonly id: string
  readonly output: readonly object[]
}

async function respond(port: number): Promise<Turn> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { ...asAnn, 'content-type': 'application/json' },
    body: JSON.stringify({ model, input: [first] }),
  })
  if (answer.status !== 200) throw new Error(`The first turn was answered ${answer.status}.`)
  return (await answer.json()) as Turn
}
