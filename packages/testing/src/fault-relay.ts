import type { Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { sleep } from './sleep.ts'
import { writeBytes } from './socket-writer.ts'
import { type Split, splitBytes } from './split.ts'
import type { Watcher } from './watcher.ts'

/** What a fault proxy does to bytes in one direction. Fields can be combined; an absent field does nothing. */
export interface ProxyFault {
  /** Delays each read, in milliseconds. */
  readonly delay?: number
  /** Limits the rate, in bytes per second. */
  readonly throttle?: number
  /** Divides what is read into several writes. */
  readonly split?: Split
  /** Reads and forwards nothing, no byte and no FIN, until the fault is replaced. */
  readonly freeze?: boolean
  /** Resets both sides of a connection after this many bytes. */
  readonly resetAfter?: number
  /** Sends FIN after this many bytes of a connection, and drops the rest. */
  readonly halfCloseAfter?: number
}

interface Relay {
  fault(): ProxyFault
  passed(count: number): void
  readonly watch: Watcher
  readonly signal: AbortSignal
}

/** Forwards bytes from `from` to `to`, with the current fault. */
export function relay(from: Socket, to: Socket, host: Relay): void {
  let passed = 0
  let last: Promise<void> = Promise.resolve()

  const thawed = async () => {
    if (!host.fault().freeze) return
    const free = () => !host.fault().freeze || from.destroyed || to.destroyed
    await host.watch.met(free, () => 'proxy: frozen', 2 ** 31 - 1).catch(() => {})
  }

  const pass = async (chunk: Buffer) => {
    await thawed()
    const { delay } = host.fault()
    if (delay) await sleep(delay, host.signal)
    for (const piece of piecesOf(chunk, host.fault())) {
      await thawed()
      const { throttle, resetAfter, halfCloseAfter } = host.fault()
      const left = Math.min(resetAfter ?? Infinity, halfCloseAfter ?? Infinity) - passed
      const part = piece.subarray(0, Math.max(0, left))
      if (throttle) await sleep((1000 * part.length) / throttle, host.signal)
      else await turn()
      if (host.signal.aborted) return
      await writeBytes(to, part)
      passed += part.length
      host.passed(part.length)
      if (resetAfter !== undefined && passed >= resetAfter) {
        await turn()
        return reset()
      }
      if (halfCloseAfter !== undefined && passed >= halfCloseAfter) return void to.end()
    }
  }

  const reset = () => {
    from.resetAndDestroy()
    to.resetAndDestroy()
  }

  from.on('data', chunk => {
    from.pause()
    last = pass(chunk).then(
      () => void from.resume(),
      () => void from.resume(),
    )
  })
  from.once('end', () => {
    void last.then(thawed).then(() => to.end())
  })
  from.once('error', () => to.resetAndDestroy())
  from.once('close', () => {
    host.watch.changed()
    if (!from.readableEnded) to.destroy()
  })
}

function piecesOf(chunk: Buffer, fault: ProxyFault): Uint8Array[] {
  if (fault.split) return splitBytes(chunk, fault.split)
  if (!fault.throttle) return [chunk]
  // About twenty writes per second, so that a slow line is slow throughout.
  const size = Math.max(1, Math.floor(fault.throttle / 20))
  const count = Math.ceil(chunk.length / size)
  return Array.from({ length: count }, (_, at) => chunk.subarray(at * size, (at + 1) * size))
}
