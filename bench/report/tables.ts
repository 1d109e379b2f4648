import { figure, times } from '../figures.ts'
import type { PeerServed } from '../measures/peers.ts'
import { type Served, servers } from '../measures/requests.ts'
import type { Row } from '../row.ts'

export const servedTitles = [
  'server',
  'CPU per request',
  'requests/s',
  'p50, 32 conn.',
  'p99, 32 conn.',
  'p50, 1 conn.',
  'p99, 1 conn.',
  'peak memory',
]

/** Each figure with how many times that of the first server it is. */
export function servedTable(served: readonly Served[]): string[][] {
  const [base] = served
  if (base === undefined) return []
  return served.map(one => {
    const cell = (text: string, read: (served: Served) => number) =>
      `${text} (${times(read(one) / read(base))})`
    return [
      servers[one.name] ?? one.name,
      cell(figure(one.cpuMicros, 'us'), ({ cpuMicros }) => cpuMicros),
      cell(`${Math.round(one.perSecond)}`, ({ perSecond }) => perSecond),
      cell(figure(one.p50, 'ms'), ({ p50 }) => p50),
      cell(figure(one.p99, 'ms'), ({ p99 }) => p99),
      cell(figure(one.p50Alone, 'ms'), ({ p50Alone }) => p50Alone),
      cell(figure(one.p99Alone, 'ms'), ({ p99Alone }) => p99Alone),
      cell(figure(one.peakMiB, 'MiB'), ({ peakMiB }) => peakMiB),
    ]
  })
}

export const peerTitles = [
  'gateway',
  'on',
  'CPU per request',
  'requests/s',
  'p50 added',
  'p99 added',
  'memory',
  'streams per GiB',
  'start',
]

export function peerTable(peers: readonly PeerServed[]): string[][] {
  return peers.map(peer => [
    peer.name,
    peer.features,
    figure(peer.cpuMicros, 'us'),
    `${Math.round(peer.perSecond)}`,
    figure(peer.p50Added, 'ms'),
    figure(peer.p99Added, 'ms'),
    figure(peer.memoryMiB, 'MiB'),
    Math.round(peer.streamsPerGiB).toLocaleString('en'),
    figure(peer.startMs / 1_000, 's'),
  ])
}

export function spreadText(spread: Row['spread']): string {
  return spread === undefined ? '' : spread.map(value => Number(value.toPrecision(3))).join(' to ')
}
