import { setTimeout as sleep } from 'node:timers/promises'
import type { RequestOutcome } from '@sluice/core'
import { hastyBase } from '../gateway/names.ts'
import { type Asking, ask, chat } from './ask.ts'
import { type AnswerForm, expectTold } from './expect-told.ts'
import type { World } from './world.ts'

/** One kind of traffic: how much of it there is, and how to tell whether it went as it should. */
export interface Kind {
  readonly name: string
  /** In per cent, about. */
  readonly share: number
  run(world: World): Promise<void>
}

/** How an exchange has to end. */
interface Expected {
  readonly status: number
  readonly as: AnswerForm
  /** Absent for a stranger, of whom there is no record to find. */
  readonly outcome?: RequestOutcome
}

const well = { status: 200, outcome: 'completed' } as const
const failed = (status: number): Expected => ({ status, as: 'error', outcome: 'upstream_failed' })
const refused: Expected = { status: 400, as: 'error', outcome: 'refused' }

function kind(
  name: string,
  share: number,
  expected: Expected,
  asking: (id: string) => Omit<Asking, 'id' | 'port'>,
): Kind {
  const run = async (world: World) => {
    const { id, port } = world.next()
    const told = await ask({ agent: world.agent, ...asking(id), id, port }).told
    expectTold(told, expected.status, expected.as)
    if (expected.outcome !== undefined) await world.expectRecord(id, expected.outcome, expected.status)
  }
  return { name, share, run }
}

const streaming =
  (script: string, more = {}) =>
  (id: string) => ({
    body: chat(`${script} ${id}`, { stream: true, ...more }),
  })
const wholly =
  (script: string, more = {}) =>
  (id: string) => ({ body: chat(`${script} ${id}`, more) })
const filler = 'A long prompt. '.repeat(8_000)

/** Traffic that goes well. */
export const goodKinds: readonly Kind[] = [
  kind('whole', 35, { ...well, as: 'whole' }, wholly('answer')),
  kind('streamed', 35, { ...well, as: 'done' }, streaming('answer')),
  kind('streamed with usage', 8, { ...well, as: 'done' }, streaming('answer', usageAsked())),
  kind('streamed tool call', 5, { ...well, as: 'done' }, streaming('tools')),
  kind('second target', 2, { ...well, as: 'done' }, streaming('answer', { model: 'spare' })),
  kind('long prompt', 2, { ...well, as: 'whole' }, id => ({
    body: JSON.stringify({
      model: 'plain',
      messages: [
        { role: 'system', content: filler },
        { role: 'user', content: `answer ${id}` },
      ],
    }),
  })),
  kind('slow reader', 1, { ...well, as: 'done' }, id => ({
    ...streaming('large')(id),
    onData(_, response) {
      response.pause()
      setTimeout(() => response.resume(), 50)
    },
  })),
]

/** Ten ways to go wrong: of the caller's doing, and of the upstream's. */
export const faultyKinds: readonly Kind[] = [
  kind('wrong key', 1, { status: 401, as: 'error' }, id => ({ ...wholly('answer')(id), key: 'sk-wrong' })),
  kind('broken JSON', 1, refused, () => ({ body: '{"model":"plain","messages":[{' })),
  kind('wrong type', 1, refused, wholly('answer', { temperature: 'hot' })),
  kind('upstream overloaded', 1, failed(503), wholly('busy')),
  kind('upstream limited', 1, failed(429), streaming('slow-down')),
  kind('reset before the headers', 1, failed(502), streaming('reset')),
  kind('silence before the headers', 1, failed(504), id => ({ ...wholly('silent')(id), base: hastyBase })),
  kind('cut in mid-stream', 1, failed(200), streaming('cut')),
  kind('end without an end mark', 1, failed(200), streaming('unfinished')),
  kind('error as the first event', 0.5, failed(502), streaming('error-first')),
  kind('a page in place of an answer', 0.5, failed(502), streaming('page')),
]

/** Clients that come badly or go early; those that leave at the upstream's word are measured apart. */
export const leavingKinds: readonly Kind[] = [
  {
    name: 'leaves while it sends its body',
    share: 1,
    async run(world) {
      const { id, port } = world.next()
      await new Promise<void>(resolve => {
        const asked = ask({
          port,
          id,
          body: chat(`answer ${id}`),
          async onContinue(request) {
            request.write('{"model":')
            await sleep(world.random() * 20)
            asked.leave()
            resolve()
          },
        })
      })
      await world.expectRecord(id, 'client_disconnected', 499)
    },
  },
  {
    name: 'reads nothing, then leaves',
    share: 0.3,
    async run(world) {
      const { id, port } = world.next()
      const asked = ask({ port, id, body: chat(`flood ${id}`, { stream: true }), unread: true })
      await sleep(300 + world.random() * 500)
      asked.leave()
      await world.expectRecord(id, 'client_disconnected')
    },
  },
]

function usageAsked() {
  return { stream_options: { include_usage: true } }
}

/** Draws kinds by their shares. */
export function drawFrom(kinds: readonly Kind[], random: () => number): () => Kind {
  const sum = kinds.reduce((total, { share }) => total + share, 0)
  return () => {
    let at = random() * sum
    for (const kind of kinds) {
      at -= kind.share
      if (at < 0) return kind
    }
    return kinds[0]!
  }
}
