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
  /** Resident memory of the whole process, beyond what it held when it was warm, without what is set aside for new objects. */
  readonly bytesPerStream: number
  /** Of that, objects and buffers that a collection leaves. */
  readonly liveBytesPerStream: number
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
      bytesPerStream: (begun.rss - begun.young - (warm.rss - warm.young)) / count,
      liveBytesPerStream: (begun.live - warm.live) / count,
      addedMsPerEvent: {
        p50: percentile(sluice.delays, 0.5) - percentile(pipe.delays, 0.5),
        p99: percentile(sluice.delays, 0.99) - percentile(pipe.delays, 0.99),
      },
      growthBytesPerStreamPerMinute: ((ended.live - begun.live) / count) * (60 / seconds),
    }
  } finally {
    upstream.stop()
  }
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
    await streams.open(subject, count, { everyMs })
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

/** Bytes that a collection leaves of each of `count` streams which have had so many events and are silent then. */
export async function measureLengths(
  lengths: readonly number[],
  { count, node }: { readonly count: number; readonly node?: string },
): Promise<number[]> {
  const upstream = await Forked.upstream()
  const subject = await Forked.subject('sluice-node', upstream, node)
  try {
    await hurry(subject, 100)
    const bytes: number[] = []
    for (const events of lengths) {
      const warm = await subject.held()
      const streams = new OpenStreams()
      try {
        await streams.open(subject, count, { events, silent: true })
        bytes.push(((await subject.held()).live - warm.live) / count)
      } finally {
        streams.close()
      }
      // So that the server has seen them close.
      await sleep(everyMs)
    }
    return bytes
  } finally {
    subject.stop()
    upstream.stop()
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
