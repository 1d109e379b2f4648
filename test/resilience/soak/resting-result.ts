import { abortPhases } from './driver/aborts.ts'
import { hostilePhases } from './driver/hostile.ts'
import { planOf } from './plan.ts'
import type { SoakResult } from './soak-result.ts'
import { spreadOf } from './statistics.ts'

const memory = { at: 0, used: 1, rss: 1 }
const holdings = { resources: { PipeWrap: 1, TCPServerWrap: 2 }, listeners: 1, descriptors: 1 }
const delay = { p50: 0, p99: 0, max: 0, starved: 0 }

/** The result of a soak in which nothing has happened: what can be told without one. */
export const restingResult: SoakResult = {
  plan: planOf(2),
  exchanges: 0,
  failures: [],
  alarms: [],
  books: { opened: 0, byOutcome: {}, open: 0, leases: { admitted: 0, settled: 0, open: 0 }, faults: [] },
  rested: memory,
  held: memory,
  memory: [memory, { ...memory, at: 1 }, { ...memory, at: 2 }],
  before: holdings,
  after: holdings,
  upstreamLeft: 0,
  aborts: abortPhases.map(({ name, at }) => ({ phase: name, at, spread: spreadOf([0]) })),
  delays: [
    { phase: 'mixed traffic', hostile: false, delay },
    ...hostilePhases(0).map(({ name }) => ({ phase: name, hostile: true, delay })),
  ],
}
