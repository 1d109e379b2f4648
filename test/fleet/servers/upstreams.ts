import { join } from 'node:path'
import { addresses, ports, upstreams } from '../network/addresses.ts'
import { type FleetContext, Program } from './program.ts'

/** One call that arrived at an upstream. */
export interface UpstreamCall {
  readonly upstream: string
  /** Milliseconds of `monotonicNow`. */
  readonly arrivedAt: number
  /** Whether it was answered to its end; `undefined` while it runs. */
  readonly finished?: boolean
  readonly sent?: number
}

/** The records of the three upstreams: the calls of each mark. */
export type UpstreamRecords = ReadonlyMap<string, readonly UpstreamCall[]>

/** Starts the three upstreams. The records grow while they run. */
export async function startUpstreams(context: FleetContext): Promise<UpstreamRecords> {
  const records = new Map<string, UpstreamCall[]>()
  await Promise.all(
    upstreams.map(async host => {
      let rest = ''
      const onOutput = (text: string) => {
        const lines = (rest + text).split('\n')
        rest = lines.pop() ?? ''
        for (const line of lines) record(host, JSON.parse(line), records)
      }
      const main = join(import.meta.dirname, 'upstream-main.ts')
      const command = [process.execPath, '--import', import.meta.resolve('tsx'), main]
      const program = Program.start(context, host, [...command, String(ports.upstream), addresses[host]], {
        onOutput,
      })
      await program.until(async () => (await fetch(`http://${addresses[host]}:${ports.upstream}`)).ok)
    }),
  )
  return records
}

type Line = { readonly mark: string } & Omit<UpstreamCall, 'upstream'>

function record(upstream: string, { mark, ...line }: Line, records: Map<string, UpstreamCall[]>): void {
  const calls = records.get(mark) ?? []
  records.set(mark, calls)
  if (line.finished === undefined) {
    calls.push({ upstream, ...line })
    return
  }
  const at = calls.findIndex(call => call.upstream === upstream && call.finished === undefined)
  const call = calls[at]
  if (call !== undefined) calls[at] = { ...call, ...line, arrivedAt: call.arrivedAt }
}
