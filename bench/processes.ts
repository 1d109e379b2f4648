import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'

const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

/** Starts a program that does not outlive this one, however this one ends. */
export function start(command: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  const child = spawn(command, args, options)
  running.add(child)
  child.once('exit', () => running.delete(child))
  return child
}

/** The next message of a child, as `T`. Rejects where it ends before, or has not come within a minute. */
export async function told<T>(child: ChildProcess, name: string): Promise<T> {
  const over = new AbortController()
  const signal = AbortSignal.any([over.signal, AbortSignal.timeout(60_000)])
  const ended = once(child, 'exit', { signal }).then(([code, by]) => {
    throw new Error(`${name} ended with ${code ?? by}: see above.`)
  })
  try {
    const [message] = await Promise.race([once(child, 'message', { signal }), ended])
    return message as T
  } finally {
    over.abort()
    ended.catch(() => {})
  }
}

/** Ends a child, by force where it takes more than two seconds. */
export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill()
  const timer = setTimeout(() => child.kill('SIGKILL'), 2_000)
  await ended
  clearTimeout(timer)
}
