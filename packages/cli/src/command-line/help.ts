import type { TableEntry } from '../command.ts'

/** What `sluice --help` prints. */
export function help(table: readonly Pick<TableEntry, 'name' | 'summary'>[]): string {
  const width = Math.max(...table.map(({ name }) => name.length)) + 2
  const rows = table.map(({ name, summary }) => `  ${name.padEnd(width)}${summary}`)
  return `Sluice is an LLM gateway for chat completions.

Usage: sluice <command> [options]

${rows.join('\n')}

Examples:
  sluice dev                     serves without a configuration
  sluice init && sluice serve    writes a configuration, and serves it
  sluice doctor                  checks this machine, the configuration and what it connects to

Run sluice <command> --help for the options of a command; sluice --version, or -v, prints the version.
Documentation: ${documentationOf()}
To start: sluice dev`
}

/** The repository in a released build. */
declare const SLUICE_REPOSITORY: string | undefined
const repository = typeof SLUICE_REPOSITORY === 'string' ? SLUICE_REPOSITORY : undefined

/** Where the documentation of a command is: a URL, or a path in the repository where no URL is known. */
export function documentationOf(command?: string, url: string | undefined = repository): string {
  const [first] = command?.split(' ') ?? []
  const page = first === undefined ? 'docs/command-line.md' : `docs/command-line.md#sluice-${first}`
  return url === undefined ? page : `${url}/blob/main/${page}`
}
