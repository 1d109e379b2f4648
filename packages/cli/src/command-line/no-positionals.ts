import { CommandFault } from '../command.ts'
import { shown } from './shown.ts'

/** Throws `CommandFault` with the exit code 2 where a command that takes options alone got a word beside them. */
export function noPositionals(command: string, positionals: readonly string[]): void {
  const [first] = positionals
  if (first === undefined) return
  throw new CommandFault(
    `sluice ${command} takes options alone, and got '${shown(first)}'. See sluice ${command} --help.`,
    2,
  )
}
