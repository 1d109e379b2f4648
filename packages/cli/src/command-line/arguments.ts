import { CommandFault, type Values } from '../command.ts'
import { shown } from './printable.ts'

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

/** Throws `CommandFault` with the exit code 2 where a command that takes options alone got a word beside them. */
export function noPositionals(command: string, positionals: readonly string[]): void {
  const [first] = positionals
  if (first === undefined) return
  throw new CommandFault(
    `sluice ${command} takes options alone, and got '${shown(first)}'. See sluice ${command} --help.`,
    2,
  )
}

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
