import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { GatewayOptions, LimitRuleData, RequestOutcome, UpstreamFailure } from '@sluice/core'
import { onTestFinished } from 'vitest'
import { bundledProgram } from '../../../../scripts/bundle-program.mjs'
import { Site } from '../../../e2e/conformance/site.ts'

/** What the gateway is made of: everything that can be sent to another process. */
export interface ChildOptions
  extends Pick<GatewayOptions, 'timeouts' | 'stream' | 'requestLimits' | 'maxAttempts' | 'retry'> {
  /** `serve` hears signals by itself; in the other ones SIGTERM closes the gateway, as their users write it. */
  readonly mount: 'node http' | 'express 5' | 'serve'
  /** The base URLs that answer for each model, in order. */
  readonly routes: Readonly<Record<string, readonly string[]>>
  /** Limits that are counted in a Redis of this machine. */
  readonly limits?: {
    readonly rules: readonly LimitRuleData[]
    readonly redisPort: number
    readonly leaseMs: number
  }
  /** The file of a ledger. */
  readonly ledger?: string
  /** Callers beside `ann`, whose key is `good-key`: the key of each is `key-of-` and its name. */
  readonly callers?: readonly string[]
  /** How long answers may take to end after a SIGTERM, in milliseconds. Default 30,000. */
  readonly drainMs?: number
}

/** What is told of a record. */
export interface ChildEnd {
  readonly outcome: RequestOutcome
  readonly status: number
  readonly attempts: readonly { readonly called: boolean; readonly kind: UpstreamFailure | null }[]
}

export type ToChild = 'take all files' | 'give files back' | 'tell memory'
export type FromChild =
  | { readonly port: number; readonly baseURL: string }
  | { readonly end: ChildEnd }
  | { readonly done: ToChild; readonly files: number; readonly rss: number }

export interface ChildService {
  readonly process: ChildProcess
  /** Resolves with its exit code when it has ended, and with the signal where that ended it. */
  readonly ended: Promise<readonly [code: number | null, signal: NodeJS.Signals | null]>
  readonly site: Site
  readonly ends: readonly ChildEnd[]
  /** Resolves with how many files it has open then, in order to give back. */
  command(command: ToChild): Promise<number>
  /** How many bytes of its memory are resident. */
  rss(): Promise<number>
}

/** Starts a gateway in a process of its own until the test ends; `files` is how many it may have open. */
export async function startChild(options: ChildOptions, files?: number): Promise<ChildService> {
  const main = await bundledProgram(fileURLToPath(new URL('child-main.ts', import.meta.url)))
  const node = [process.execPath, main, JSON.stringify(options)]
  const line = files === undefined ? node : ['sh', '-c', `ulimit -n ${files} && exec "$0" "$@"`, ...node]
  const [program = '', ...given] = line
  const child = spawn(program, given, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const ended = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  const ends: ChildEnd[] = []
  const answers: ((done: { readonly files: number; readonly rss: number }) => void)[] = []
  const site = new Site()
  const started = new Promise<void>(resolve => {
    child.on('message', (message: FromChild) => {
      if ('end' in message) ends.push(message.end)
      else if ('done' in message) answers.shift()?.(message)
      else {
        site.settle({ baseURL: message.baseURL, origin: new URL(message.baseURL).origin })
        resolve()
      }
    })
  })
  await Promise.race([
    started,
    ended.then(([code]) => {
      throw new Error(`The gateway's process ended with code ${code} before it listened.`)
    }),
  ])
  const ask = (what: ToChild) =>
    new Promise<{ readonly files: number; readonly rss: number }>(resolve => {
      answers.push(resolve)
      child.send(what)
    })
  const command = async (what: ToChild) => (await ask(what)).files
  const rss = async () => (await ask('tell memory')).rss
  return { process: child, ended, site, ends, command, rss }
}
