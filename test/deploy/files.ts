import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse, parseAllDocuments } from 'yaml'

export const root = join(import.meta.dirname, '../..')

/** A file of the folder `deploy`. */
export function readDeploy(path: string): string {
  return readFileSync(join(root, 'deploy', path), 'utf8')
}

/** A file of the folder `deploy` with one document in YAML. Throws for one that is none. */
export function parseDeploy(path: string): Record<string, unknown> {
  const [document, ...others] = parseAllDocuments(readDeploy(path))
  if (document === undefined || others.length > 0) throw new Error(`${path} has not one document.`)
  return parse(readDeploy(path), { strict: true }) as Record<string, unknown>
}

/** How long a process may take to stop, in seconds: `shutdownDelayMs` and `drainMs`, and half a minute for the rest. */
export function stopSeconds(): number {
  const { server } = parseDeploy('sluice.config.yaml') as {
    server: { shutdownDelayMs: number; drainMs: number }
  }
  return (server.shutdownDelayMs + server.drainMs) / 1_000 + 30
}

/** The variables that a text names as `${NAME}`, without those that only a comment names. */
export function variablesOf(text: string): string[] {
  const code = text.replaceAll(/^\s*#.*$/gm, '')
  return [...new Set([...code.matchAll(/\$\{(\w+)/g)].map(([, name]) => name!))].sort()
}
