import { setTimeout as sleep } from 'node:timers/promises'
import { type Driven, drive } from '../drive.ts'
import { median, quantile } from '../figures.ts'
import { peerGateways } from '../peers/gateways.ts'
import { PeerProcess } from '../peers/peer-process.ts'
import type { Plan } from '../plan.ts'
import { asAnn, path, small } from '../questions.ts'
import { Forked } from '../streams/forked.ts'
import { OpenStreams } from '../streams/stream-client.ts'
import { Subject } from '../subject.ts'
import { inTurns } from '../turns.ts'

/** What a gateway took as a process; medians over all rounds. */
export interface PeerServed {
  readonly name: string
  readonly features: string
  readonly cpuMicros: number
  /** With 32 connections, on one core. */
  readonly perSecond: number
  /** Milliseconds that it adds to a request through the bare proxy, one connection. */
  readonly p50Added: number
  readonly p99Added: number
  /** Resident, after all rounds. */
  readonly memoryMiB: number
  readonly streamsPerGiB: number
  readonly startMs: number
}

const connections = 32

/** Runs other gateways, and Sluice as a process, with the same upstream; each is started anew for its streams. */
export async function measurePeers(plan: Plan): Promise<PeerServed[]> {
  const { upstream, runtime, seconds, warmUp, peerStreams } = plan
  const bare = await Subject.start('bare-buffered', upstream.url, runtime)
  const peers: PeerProcess[] = []
  try {
    for (const gateway of peerGateways) peers.push(await PeerProcess.start(gateway, upstream.url, runtime))
    for (const [at, peer] of peers.entries()) {
      await ask(peer, connections, 0, peerGateways[at]!.hasJit ? warmUp.peers : warmUp.peers / 20)
    }
    const rounds = await inTurns(
      plan,
      [bare, ...peers].map(server => () => roundOf(server, seconds)),
    )
    const served: PeerServed[] = []
    for (const [at, gateway] of peerGateways.entries()) {
      const peer = peers[at]!
      const over = (read: (round: Round, bare: Round) => number) =>
        median(rounds.map(round => read(round[at + 1]!, round[0]!)))
      const memoryMiB = peer.residentMiB()
      await peer.stop()
      served.push({
        name: gateway.name,
        features: gateway.features,
        cpuMicros: over(({ cpuMicros }) => cpuMicros),
        perSecond: over(({ perSecond }) => perSecond),
        p50Added: over(({ alone }, bare) => median(alone) - median(bare.alone)),
        p99Added: over(({ alone }, bare) => quantile(alone, 0.99) - quantile(bare.alone, 0.99)),
        memoryMiB,
        streamsPerGiB: await streamsPerGiB(at, peerStreams, plan),
        startMs: peer.startMs,
      })
    }
    return served
  } finally {
    await Promise.all([bare.stop(), ...peers.map(peer => peer.stop())])
  }
}

interface Round {
  readonly cpuMicros: number
  readonly perSecond: number
  /** Milliseconds of each request over one connection. */
  readonly alone: readonly number[]
}

async function roundOf(server: Subject | PeerProcess, seconds: number): Promise<Round> {
  // Twice as long, as the kernel counts in steps of 10 ms.
  const { cpuMicros, done } = await server.during(() => ask(server, connections, 2 * seconds))
  const alone = await ask(server, 1, seconds)
  return {
    cpuMicros: cpuMicros / done.requests,
    perSecond: done.requests / done.seconds,
    alone: alone.latencies,
  }
}

function ask(
  server: Subject | PeerProcess,
  connections: number,
  seconds: number,
  atLeast = 0,
): Promise<Driven> {
  const headers = { ...asAnn, ...server.headers }
  return drive({ port: server.port, path, headers, body: small, connections, seconds, atLeast })
}

/** From what a new process grows by while `count` streams are open, each with an event every five seconds. */
async function streamsPerGiB(at: number, count: number, { runtime }: Plan): Promise<number> {
  const upstream = await Forked.upstream()
  const streams = new OpenStreams()
  const peer = await PeerProcess.start(peerGateways[at]!, `http://127.0.0.1:${upstream.port}`, runtime)
  try {
    // One first, so that what is loaded with it is not counted.
    await streams.open({ port: peer.port, headers: { ...asAnn, ...peer.headers } }, 1, { everyMs: 5_000 })
    const before = peer.residentMiB()
    await streams.open({ port: peer.port, headers: { ...asAnn, ...peer.headers } }, count, { everyMs: 5_000 })
    await sleep(6_000)
    return (count / (peer.residentMiB() - before)) * 1_024
  } finally {
    streams.close()
    await peer.stop()
    upstream.stop()
  }
}
