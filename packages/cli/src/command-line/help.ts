import type { TableEntry } from '../command.ts'

/** What `sluice --help` prints. */
export function help(table: readonly Pick<TableEntry, 'name' | 'summary'>[]): string {
  const width = Math.max(...table.map(({ name }) => name.length)) + 2
  const rows = table.map(({ name, summary }) => `  ${name.padEnd(width)}${summary}`)
  return `Sluice is an LLM gateway for chat completions.

Usage: sluice <command> [options]

${rows.join('\n')}

Run sluice <command> --help for the options of a command; sluice --version, or -v, prints the version.
Documentation: ${documentationOf()}
To start: sluice dev`
}

/** Where the documentation of a command is, in the repository. */
export function documentationOf(command?: string): string {
  const [first] = command?.split(' ') ?? []
  return first === undefined ? 'docs/command-line.md' : `docs/command-line.md#sluice-${first}`
}
