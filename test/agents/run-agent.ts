import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { apiKeys, createGateway, type GatewayOptions, models, type Target } from '@sluice/core'
import { onTestFinished } from 'vitest'
import { type Family, type Script, startVendor, type Vendor } from '../e2e/families/family.ts'
import { mounts } from '../e2e/mounts/mounts.ts'

/** What a run of a coding agent has printed. */
export interface Run {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  readonly ms: number
}

/** A coding agent as it is published, and how to run it. */
export interface AgentCommand {
  /** The program. */
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** The folder in which it runs. It has its settings and sessions. */
  readonly home: string
  readonly seconds: number
}

/** A folder in which an agent runs. It is removed when the test ends. */
export function workFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'agent-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** The program of an agent, by the variable that `pnpm test:agents` sets. */
export function agentPath(variable: 'AGENT_CLAUDE_CODE' | 'AGENT_CODEX'): string {
  const path = process.env[variable]
  if (path === undefined) throw new Error('Run `pnpm test:agents`, which fetches the agents.')
  return path
}

/** Runs a coding agent until it ends, or its time is over. */
export function runAgent({ command, args, env, home, seconds }: AgentCommand): Promise<Run> {
  const started = performance.now()
  const child = spawn(command, args, {
    cwd: home,
    env: { PATH: process.env.PATH, HOME: home, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return new Promise((resolve, reject) => {
    let stdout = ''
    let stderr = ''
    const timer = setTimeout(() => child.kill('SIGKILL'), seconds * 1_000)
    child.stdout.setEncoding('utf8').on('data', text => (stdout += text))
    child.stderr.setEncoding('utf8').on('data', text => (stderr += text))
    child.on('error', reject)
    child.on('close', code => {
      clearTimeout(timer)
      resolve({ code, stdout, stderr, ms: performance.now() - started })
    })
  })
}

/** Codex has settings and tools of their own for the models that it knows. */
const modelNames = ['m', 'gpt-5.5', 'gpt-6-astra']

/** A gateway in front of a scripted vendor. The key is `good-key`, a model `m`. */
export async function serveVendor(
  family: Family,
  script: Script,
  options: Partial<GatewayOptions> = {},
): Promise<{ readonly origin: string; readonly vendor: Vendor }> {
  const vendor = await startVendor(family, script)
  onTestFinished(() => vendor.close())
  return { origin: await serveTarget(vendor.entry, options), vendor }
}

/** Starts a gateway in front of a target, and returns its origin. */
export async function serveTarget(target: Target, options: Partial<GatewayOptions> = {}): Promise<string> {
  const gateway = createGateway({
    authenticate: apiKeys([{ id: 'ann', key: 'good-key' }]),
    route: models(Object.fromEntries(modelNames.map(name => [name, target]))),
    ...options,
  })
  const mounted = await mounts['node http']!(gateway)
  onTestFinished(async () => {
    await gateway.close({ drainMs: 1 })
    await mounted.close()
  })
  return mounted.origin
}

/** A gateway that fails first, and answers from then on. */
export function failing(times: number, fail: () => never): Pick<GatewayOptions, 'authorize'> {
  let left = times
  return {
    authorize: () => {
      if (left-- > 0) fail()
      return true
    },
  }
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!
}
