import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { drive } from '../drive.ts'
import { figure, median, ratioOf } from '../figures.ts'
import type { Plan } from '../plan.ts'
import { stop } from '../processes.ts'
import { asAnn, largeMessages, messagesPath, streamedMessages } from '../questions.ts'
import type { Row } from '../row.ts'
import { type Runtime, Subject } from '../subject.ts'
import { inTurns } from '../turns.ts'
import { startNodeUpstream } from '../upstream.ts'

/** Of each stream. */
const words = 199
const streams = 8

/** Two at a time: enough to keep one core at work. */
const connections = 2

/** What the Messages API costs: a body of 1 MB that is passed on, and events that are translated beside those passed on. */
export async function measureMessages(plan: Plan): Promise<Row[]> {
  const { runtime, seconds, warmUp } = plan
  const speaking = await startNodeUpstream('messages-process.mjs', `${words}`)
  const other = await startNodeUpstream('events-process.mjs', `${words}`)
  const [bare, passing, translating] = (await Promise.all([
    Subject.start('bare-buffered', speaking.url, runtime),
    Subject.start('sluice-node', speaking.url, runtime),
    Subject.start('sluice-node', other.url, runtime),
  ])) as [Subject, Subject, Subject]
  try {
    for (const subject of [bare, passing]) await largeMicros(subject, 0, warmUp.large)
    await eventMicros(passing, 'claude', 0, warmUp.streams)
    await eventMicros(translating, 'gpt-4o', 0, warmUp.streams)
    const bodies = await inTurns(plan, [
      () => parseMicros(runtime, seconds),
      () => largeMicros(bare, seconds),
      () => largeMicros(passing, seconds),
    ])
    const large = bodies.map(([parsed, bare, passed]) => ({ least: parsed! + bare!, passed: passed! }))
    const streamed = await inTurns(plan, [
      () => eventMicros(passing, 'claude', seconds),
      () => eventMicros(translating, 'gpt-4o', seconds),
    ])
    const events = streamed.map(([passed, translated]) => ({ passed: passed!, translated: translated! }))
    const largeRatios = large.map(({ passed, least }) => passed / least)
    const eventRatios = events.map(({ passed, translated }) => translated / passed)
    const largeRatio = median(largeRatios)
    const eventRatio = median(eventRatios)
    const ms = (values: readonly number[]) => figure(median(values) / 1_000, 'ms')
    const us = (values: readonly number[]) => figure(median(values), 'us')
    return [
      {
        id: 'messages',
        what: '1 MB Messages body, passed on: CPU against a bare buffered proxy and `JSON.parse` of it',
        figure: `${ms(large.map(({ passed }) => passed))} to ${ms(large.map(({ least }) => least))}`,
        ratio: ratioOf(largeRatios),
        value: largeRatio,
        goal: '<= 1.6 x',
        met: largeRatio <= 1.6,
      },
      {
        id: 'messages',
        what: 'CPU per streamed event, translated to Messages, against one that is passed on',
        figure: `${us(events.map(({ translated }) => translated))} to ${us(events.map(({ passed }) => passed))}`,
        ratio: ratioOf(eventRatios),
        value: eventRatio,
        goal: '<= 2 x',
        met: eventRatio <= 2,
      },
    ]
  } finally {
    await Promise.all([
      ...[bare, passing, translating].map(subject => subject.stop()),
      stop(speaking.child),
      stop(other.child),
    ])
  }
}

async function largeMicros(subject: Subject, seconds: number, atLeast = 0): Promise<number> {
  const load = {
    port: subject.port,
    path: messagesPath,
    headers: asAnn,
    body: largeMessages,
    connections,
    seconds,
    atLeast,
  }
  const { cpuMicros, done } = await subject.during(() => drive(load))
  return cpuMicros / done.requests
}

async function eventMicros(subject: Subject, model: string, seconds: number, atLeast = 0): Promise<number> {
  const load = {
    port: subject.port,
    path: messagesPath,
    headers: asAnn,
    body: streamedMessages(model),
    connections: streams,
    seconds,
    atLeast,
    check,
  }
  const { cpuMicros, done } = await subject.during(() => drive(load))
  return cpuMicros / (done.requests * words)
}

/** Whether all words came, and the end. */
function check(body: readonly Buffer[]): void {
  const text = Buffer.concat(body).toString('latin1')
  const got = text.split('"text_delta"').length - 1
  if (got !== words) throw new Error(`a stream of ${words} words came as ${got}`)
  if (!text.includes('message_stop')) throw new Error('a stream came without its end mark')
}

const program = fileURLToPath(new URL('../json-process.mjs', import.meta.url))

function parseMicros({ pinned, node }: Runtime, seconds: number): number {
  const [command = '', ...args] = [...pinned, node, program, `${seconds}`, 'parse']
  const { status, stdout, stderr } = spawnSync(command, args, { input: largeMessages, encoding: 'utf8' })
  if (status !== 0) throw new Error(`json-process.mjs ended with ${status}:\n${stderr}`)
  return Number(stdout)
}
