import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { bundledProgram } from '../../../scripts/bundle-program.mjs'

/** What a process of its own does with a database, until it is done or killed. */
export type PostgresTask =
  /** Makes the tables; tells `done`. */
  | { readonly what: 'migrate'; readonly url: string }
  /** Opens and closes so many requests of a principal; tells `done`. */
  | { readonly what: 'record'; readonly url: string; readonly principal: string; readonly count: number }
  /** Opens requests one after the other, with a journal, and closes none; tells each id that is kept. */
  | { readonly what: 'open'; readonly url: string; readonly principal: string; readonly journal: string }
  /** Lets a key in again and again; tells each time that the answer is another one. */
  | { readonly what: 'authenticate'; readonly url: string; readonly key: string }

/** A process that was started, and what it has told so far. */
export interface RunningTask {
  readonly process: ChildProcess
  readonly told: readonly string[]
  /** Resolves with the exit code; `null` where it was killed. */
  readonly ended: Promise<number | null>
}

/** Starts a task in a process of its own until the test ends. */
export async function startTask(task: PostgresTask): Promise<RunningTask> {
  const main = await bundledProgram(fileURLToPath(new URL('postgres-task-main.ts', import.meta.url)))
  const line = [main, JSON.stringify(task)]
  const child = spawn(process.execPath, line, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const ended = once(child, 'exit').then(([code]) => code as number | null)
  const told: string[] = []
  child.on('message', message => told.push(String(message)))
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  return { process: child, told, ended }
}
