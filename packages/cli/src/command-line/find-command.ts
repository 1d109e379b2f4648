import { closest } from '@sluice/core/adapter'
import { CommandError } from '../command.ts'
import { printable } from './printable.ts'

/** What a command line begins with. */
export interface FoundCommand<Entry> {
  readonly entry: Entry
  /** What comes after the command's name. */
  readonly rest: readonly string[]
}

/**
 * The command that a command line begins with, of one word or two. Throws `CommandError` with the exit code 2 for a name
 * that no command has.
 */
export function findCommand<Entry extends { readonly name: string }>(
  argv: readonly string[],
  table: readonly Entry[],
): FoundCommand<Entry> {
  const [first = '', second] = argv
  const entry = [`${first} ${second}`, first]
    .map(name => table.find(each => each.name === name))
    .find(found => found !== undefined)
  if (entry !== undefined) return { entry, rest: argv.slice(entry.name.split(' ').length) }
  const group = table.filter(({ name }) => name.startsWith(`${first} `)).map(({ name }) => name)
  if (group.length > 0) throw new CommandError(groupFault(first, second, group), 2)
  const words = [...new Set(table.map(({ name }) => name.split(' ')[0] ?? ''))]
  const meant = closest(first, words)
  throw new CommandError(
    `sluice has no command '${printable(first)}'.${meant === undefined ? '' : ` Did you mean '${meant}'?`} Known are ${words.join(', ')}; see sluice --help.`,
    2,
  )
}

function groupFault(first: string, second: string | undefined, group: readonly string[]): string {
  const known = `Known are ${group.join(', ')}.`
  if (second === undefined || second.startsWith('-')) {
    return `sluice ${first} needs a subcommand. ${known}`
  }
  const seconds = group.map(name => name.slice(first.length + 1))
  const meant = closest(second, seconds)
  return `sluice has no command '${first} ${printable(second)}'.${meant === undefined ? '' : ` Did you mean '${first} ${meant}'?`} ${known}`
}
