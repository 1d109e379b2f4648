import { closest } from '@sluice/core/adapter'
import { CommandFault } from '../command.ts'
import { shown } from './shown.ts'

/** What a command line begins with. */
export interface FoundCommand<Entry> {
  readonly entry: Entry
  /** What comes after the command's name. */
  readonly rest: readonly string[]
}

/**
 * The command that a command line begins with, of one word or two. Throws `CommandFault` with the exit code 2 for a name
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
  if (group.length > 0) throw new CommandFault(groupFault(first, second, group), 2)
  const words = [...new Set(table.map(({ name }) => name.split(' ')[0] ?? ''))]
  const meant = closest(first, words)
  throw new CommandFault(
    `sluice has no command '${shown(first)}'.${meant === undefined ? '' : ` Did you mean '${meant}'?`} Known are ${words.join(', ')}; see sluice --help.`,
    2,
  )
}

function groupFault(first: string, second: string | undefined, group: readonly string[]): string {
  const known = `Known are ${group.join(', ')}.`
  if (second === undefined || second.startsWith('-')) {
    return `'sluice ${first}' needs to be told what to do. ${known}`
  }
  const seconds = group.map(name => name.slice(first.length + 1))
  const meant = closest(second, seconds)
  return `sluice has no command '${first} ${shown(second)}'.${meant === undefined ? '' : ` Did you mean '${first} ${meant}'?`} ${known}`
}
