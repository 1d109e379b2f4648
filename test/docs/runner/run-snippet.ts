import { mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { vi } from 'vitest'
import { root } from './markdown.ts'
import { type Redirection, redirectPorts } from './redirected-ports.ts'

/** A snippet that runs. */
export interface RunningSnippet {
  readonly exports: Readonly<Record<string, unknown>>
  /** What it printed by `console.log`, so far. */
  readonly printed: readonly string[]
  /** `http://127.0.0.1:41234` for the server that the snippet started on a port. */
  url(port: number): Promise<string>
  stop(): Promise<void>
}

/**
 * Runs a TypeScript module as it stands in a page, in this process: its top-level awaits are over when this
 * resolves. `env` is in the environment while it runs.
 */
export async function runSnippet(
  code: string,
  env: Readonly<Record<string, string>> = {},
): Promise<RunningSnippet> {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'sluice-snippet-'))
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const file = join(folder, 'snippet.ts')
  writeFileSync(file, code)
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
  const printed: string[] = []
  const log = vi.spyOn(console, 'log').mockImplementation((...words: unknown[]) => {
    printed.push(words.join(' '))
  })
  const servers: Redirection = redirectPorts()
  const stop = async () => {
    await servers.stop()
    log.mockRestore()
    vi.unstubAllEnvs()
    rmSync(folder, { recursive: true })
  }
  try {
    const exports = await import(/* @vite-ignore */ pathToFileURL(file).href)
    return {
      exports,
      printed,
      url: async port => `http://127.0.0.1:${await servers.port(port)}`,
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}
