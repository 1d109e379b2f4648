import { parseArgs } from 'node:util'
import { closest } from '@sluice/core/adapter'
import { type Command, CommandError, type Values } from '../command.ts'
import { printable } from './printable.ts'

/** What was said after a command's name. */
export interface ReadOptions {
  readonly values: Values
  readonly positionals: readonly string[]
}

/**
 * Reads options as a command knows them; `help` is known to all. Throws `CommandError` with the exit code 2 for an option
 * that is unknown, lacks its value, has one that it cannot have, or is given twice where the last would win.
 */
export function readOptions(
  command: Pick<Command, 'name' | 'options'>,
  args: readonly string[],
): ReadOptions {
  const options: Command['options'] = { ...command.options, help: { type: 'boolean', short: 'h' } }
  const parsed = parseArgs({
    args: [...args],
    options,
    allowPositionals: true,
    // The messages of strict parsing name no options; what it refuses is refused below.
    strict: false,
    tokens: true,
  })
  const given = new Set<string>()
  for (const token of parsed.tokens) {
    if (token.kind !== 'option') continue
    const known = Object.hasOwn(options, token.name) ? options[token.name] : undefined
    if (known === undefined) throw unknownOption(command.name, token.rawName, Object.keys(options))
    const refuse = (fault: string) => new CommandError(`sluice ${command.name}: ${token.rawName} ${fault}`, 2)
    if (known.type === 'boolean' && token.value !== undefined) throw refuse('takes no value.')
    if (known.type === 'string' && token.value === undefined) throw refuse('needs a value.')
    if (known.type === 'string' && !token.inlineValue && token.value?.startsWith('-')) {
      throw refuse(
        `is followed by '${printable(token.value)}', which looks like an option. Write ${token.rawName}=${printable(token.value)} if that is its value.`,
      )
    }
    if (known.multiple !== true && given.has(token.name)) throw refuse('is given twice. Pass it once.')
    given.add(token.name)
  }
  return { values: parsed.values, positionals: parsed.positionals }
}

function unknownOption(command: string, option: string, known: readonly string[]): CommandError {
  const names = known.map(name => `--${name}`)
  const meant = option.startsWith('--') ? closest(option, names) : undefined
  return new CommandError(
    `sluice ${command} has no option ${printable(option)}.${meant === undefined ? '' : ` Did you mean ${meant}?`} Known are ${names.join(', ')}.`,
    2,
  )
}
