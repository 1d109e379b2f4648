import type { IssueList } from '../config/issues/issue-list.ts'
import type { Path } from '../config/issues/issue-text.ts'
import { ConfigLocation } from '../config/shape/shape.ts'
import type { TrafficFile } from './traffic-shape.ts'

/** Adds an issue for each part of a traffic file that would never happen. */
export function checkTraffic(
  { duration, clients, upstreams = {}, stores = {}, crashes = [] }: TrafficFile,
  source: unknown,
  gateways: number,
  issues: IssueList,
): void {
  const reject = (path: Path, expected: string) =>
    new ConfigLocation(path, issues).reject(valueAt(source, path), expected)
  const checkBeginning = (path: Path, ms: number) => {
    if (ms < duration) return
    reject(path, `a time before the end of the traffic, which is ${secondsText(duration)}`)
  }
  const checkGateway = (path: Path, gateway: number) => {
    if (gateway < gateways) return
    reject(path, gateways === 1 ? '0, the only gateway' : `a gateway from 0 to ${gateways - 1}`)
  }

  for (const [index, { from = 0, to, bursts = [] }] of clients.entries()) {
    const path: Path = ['clients', index]
    if (to !== undefined && to <= from) {
      reject([...path, 'to'], from === 0 ? 'a time after 0' : 'a time after from')
    }
    checkBeginning([...path, 'from'], from)
    for (const [burst, { fromMs, toMs }] of bursts.entries()) {
      const end = Math.min(to ?? duration, duration)
      if (fromMs >= end) {
        reject(
          [...path, 'bursts', burst, 'from'],
          `a time before ${secondsText(end)}, when these clients stop`,
        )
      } else if (toMs <= from) {
        reject(
          [...path, 'bursts', burst, 'to'],
          `a time after ${secondsText(from)}, when these clients begin`,
        )
      }
    }
  }
  for (const [name, { outages = [] }] of Object.entries(upstreams)) {
    for (const [index, { fromMs }] of outages.entries()) {
      checkBeginning(['upstreams', name, 'outages', index, 'from'], fromMs)
    }
  }
  for (const [name, { partitions = [] }] of Object.entries(stores)) {
    for (const [index, { fromMs, gateways: numbers = [] }] of partitions.entries()) {
      const path: Path = ['stores', name, 'partitions', index]
      checkBeginning([...path, 'from'], fromMs)
      for (const [at, gateway] of numbers.entries()) checkGateway([...path, 'gateways', at], gateway)
    }
  }
  for (const [index, { gateway, at }] of crashes.entries()) {
    checkGateway(['crashes', index, 'gateway'], gateway)
    checkBeginning(['crashes', index, 'at'], at)
  }
}

/** Returns the value as the file has it: a duration as it was written. */
function valueAt(source: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (value, step) => (typeof value === 'object' && value !== null ? Reflect.get(value, step) : undefined),
    source,
  )
}

function secondsText(ms: number): string {
  return `${ms / 1_000} s`
}
