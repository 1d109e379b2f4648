import { setTimeout as sleep } from 'node:timers/promises'
import { Forked, type Held } from './forked.ts'
import { OpenStreams, readStreams, streamRequest } from './stream-client.ts'

/** How many streams are live, for how long, and by which Node they are served. */
export interface StreamsOptions {
  readonly count: number
  readonly seconds: number
  /** The program; default: the one that runs this. */
  readonly node?: string
}

/** What live streams cost a gateway with everything on. */
export interface StreamsMeasured {
  /** Resident memory of the whole process, beyond what it held when it was warm. */
  readonly bytesPerStream: number
  /** Of that, what is on the JavaScript heap. */
  readonly heapBytesPerStream: number
  /** Milliseconds from the upstream's write to the client, beyond those through a pipe. */
  readonly addedMsPerEvent: { readonly p50: number; readonly p99: number }
  /** Of what is left after a collection: resident memory also grows by room that the engine makes ahead. */
  readonly growthBytesPerStreamPerMinute: number
}

/** Each live stream gets an event so often. */
const everyMs = 1_000

/** Keeps `count` streams open through the gateway, and then through a pipe, each for `seconds`. */
export async function measureStreams(options: StreamsOptions): Promise<StreamsMeasured> {
  const upstream = await Forked.upstream()
  try {
    const pipe = await liveStreams('bare-pipe', upstream, options)
    const sluice = await liveStreams('sluice-node', upstream, options)
    const { count, seconds } = options
    const [warm, begun, ended] = sluice.held
    return {
      bytesPerStream: (begun.rss - warm.rss) / count,
      heapBytesPerStream: (begun.heapUsed - warm.heapUsed) / count,
      addedMsPerEvent: {
        p50: percentile(sluice.delays, 0.5) - percentile(pipe.delays, 0.5),
        p99: percentile(sluice.delays, 0.99) - percentile(pipe.delays, 0.99),
      },
      growthBytesPerStreamPerMinute: ((keptBy(ended) - keptBy(begun)) / count) * (60 / seconds),
    }
  } finally {
    upstream.stop()
  }
}

function keptBy({ heapUsed, external }: Held): number {
  return heapUsed + external
}

interface Lived {
  /** Warm, with all streams begun, and at their end. */
  readonly held: readonly [Held, Held, Held]
  readonly delays: number[]
}

async function liveStreams(
  name: string,
  upstream: Forked,
  { count, seconds, node }: StreamsOptions,
): Promise<Lived> {
  const subject = await Forked.subject(name, upstream, node)
  const streams = new OpenStreams()
  try {
    await hurry(subject, 100)
    const warm = await subject.held()
    await streams.open(subject, count, everyMs)
    // So that each had a few events.
    await sleep(3 * everyMs)
    const begun = await subject.held()
    const delays: number[] = []
    streams.listen(ms => delays.push(ms))
    await sleep(seconds * 1000)
    streams.listen(() => {})
    return { held: [warm, begun, await subject.held()], delays: delays.sort((a, b) => a - b) }
  } finally {
    streams.close()
    subject.stop()
  }
}

/** CPU of one event in each server, in microseconds: the median of rounds in which they take turns. */
export async function measureEvents(
  names: readonly string[],
  { rounds, node }: { readonly rounds: number; readonly node?: string },
): Promise<number[]> {
  const upstream = await Forked.upstream()
  const subjects: Forked[] = []
  try {
    for (const name of names) subjects.push(await Forked.subject(name, upstream, node))
    for (const subject of subjects) await hurry(subject, 150)
    const micros: number[][] = subjects.map(() => [])
    for (let round = 0; round < rounds; round++) {
      for (const [at, subject] of subjects.entries()) micros[at]!.push(await hurry(subject, 40))
    }
    return micros.map(list =>
      percentile(
        list.sort((a, b) => a - b),
        0.5,
      ),
    )
  } finally {
    for (const subject of subjects) subject.stop()
    upstream.stop()
  }
}

const connections = 8
const events = 203

/** Reads streams as fast as they come. Gives the CPU of each event in microseconds. */
async function hurry(subject: Forked, streamsEach: number): Promise<number> {
  const request = streamRequest(subject.port, { events })
  const before = await subject.cpuMicros()
  await Promise.all(
    Array.from({ length: connections }, () => readStreams(subject.port, request, streamsEach)),
  )
  return ((await subject.cpuMicros()) - before) / (connections * streamsEach * events)
}

function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.floor(sorted.length * share)] ?? Number.NaN
}
