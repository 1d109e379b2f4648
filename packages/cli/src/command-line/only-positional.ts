import { CommandFault } from '../command.ts'

/**
 * The one word that a command takes, such as the id of a key. Throws `CommandFault` with the exit code 2 where there is none,
 * or another one beside it.
 */
export function onlyPositional(command: string, what: string, positionals: readonly string[]): string {
  const [first, ...more] = positionals
  if (first !== undefined && first !== '' && more.length === 0) return first
  throw new CommandFault(
    `sluice ${command} takes ${what}, and got ${positionals.length === 0 ? 'none' : positionals.length}. See sluice ${command} --help.`,
    2,
  )
}
