import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** What a run of Claude Code has printed. */
export interface Run {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  readonly ms: number
}

/** A folder in which Claude Code runs. It is removed when the test ends. */
export function workFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'claude-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Runs Claude Code against a service at `origin`. `home` has its settings and sessions. */
export function claude(
  origin: string,
  args: readonly string[],
  { home = workFolder(), model = 'm', seconds = 60, key = 'good-key' } = {},
): Promise<Run> {
  const command = process.env.AGENT_CLAUDE_CODE
  if (command === undefined) throw new Error('Run `pnpm test:agents`, which fetches Claude Code.')
  const started = performance.now()
  const child = spawn(command, ['--print', '--model', model, ...args], {
    cwd: home,
    env: {
      PATH: process.env.PATH,
      HOME: home,
      ANTHROPIC_BASE_URL: origin,
      ANTHROPIC_AUTH_TOKEN: key,
      ANTHROPIC_SMALL_FAST_MODEL: model,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
    },
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
