import { CommandError, type Values } from '../command.ts'
import { printable } from './printable.ts'

/** The value of an option that takes a text. */
export function textOf(values: Values, name: string): string | undefined {
  const value = values[name]
  return typeof value === 'string' ? value : undefined
}

/** The values of an option that may be given several times. */
export function textsOf(values: Values, name: string): readonly string[] {
  const value = values[name]
  return Array.isArray(value) ? value.filter(each => typeof each === 'string') : []
}

/** Throws `CommandError` with the exit code 2 where a command that takes options alone got a word beside them. */
export function rejectPositionals(command: string, positionals: readonly string[]): void {
  const [first] = positionals
  if (first === undefined) return
  throw new CommandError(
    `sluice ${command}: unexpected argument '${printable(first)}'. It takes only options: see sluice ${command} --help.`,
    2,
  )
}

/**
 * The one word that a command takes, such as the id of a key. Throws `CommandError` with the exit code 2 where there is none,
 * or another one beside it.
 */
export function onlyPositional(command: string, what: string, positionals: readonly string[]): string {
  const [first, ...more] = positionals
  if (first !== undefined && first !== '' && more.length === 0) return first
  throw new CommandError(
    `sluice ${command}: got ${positionals.length === 0 ? 'no argument' : `${positionals.length} arguments`}, expected ${what}. See sluice ${command} --help.`,
    2,
  )
}
