import manifest from '../package.json' with { type: 'json' }
import { type CommandContext, CommandError, type TableEntry } from './command.ts'
import { colourHelp } from './command-line/colour-help.ts'
import { commandTable } from './command-line/command-table.ts'
import { findCommand } from './command-line/find-command.ts'
import { documentationOf, help } from './command-line/help.ts'
import { readOptions } from './command-line/read-options.ts'
import { addEnvFiles } from './environment/env-files.ts'

/** Of this package, as it is published. */
const { version }: { readonly version: string } = manifest

/** What a process ends with where the program itself is at fault: `EX_SOFTWARE` of sysexits(3). */
const bugCode = 70

/**
 * Runs one command line of `sluice`. Resolves to the exit code: 0; 1 for a failure; 2 for an invalid command line; 70 for
 * a bug in the program, which is printed with its stack. Never rejects.
 *
 * @param argv - without the program's own name.
 */
export async function main(
  argv: readonly string[],
  context: CommandContext,
  table: readonly TableEntry[] = commandTable,
): Promise<number> {
  try {
    return await run(argv, context, table)
  } catch (error) {
    if (error instanceof CommandError) {
      context.log(error.message)
      return error.exitCode
    }
    const stack = error instanceof Error ? (error.stack ?? error.message) : String(error)
    context.log(`Internal error in sluice ${version}. Please report it, with this stack trace:\n${stack}`)
    return bugCode
  }
}

async function run(
  argv: readonly string[],
  context: CommandContext,
  table: readonly TableEntry[],
): Promise<number> {
  const [first, ...others] = argv
  const printHelp = (text: string) => context.print(context.colours ? colourHelp(text) : text)
  if (first === undefined) {
    context.log(help(table))
    return 2
  }
  if (first === 'help' && others.length > 0) return run([...others, '--help'], context, table)
  if (isHelp(first) || first === 'help') {
    printHelp(help(table))
    return 0
  }
  if (first === '--version' || first === '-v') {
    context.print(version)
    return 0
  }
  const group = table.filter(({ name }) => name.startsWith(`${first} `))
  if (group.length > 0 && isHelp(others[0])) {
    printHelp(help(group))
    return 0
  }
  const { entry, rest } = findCommand(argv, table)
  const command = await entry.load()
  const { values, positionals } = readOptions(command, rest)
  if (values.help === true) {
    const { name, summary } = command
    printHelp(
      `sluice ${name}: ${summary}\n\n${command.help.trim()}\n\nDocumentation: ${documentationOf(name)}`,
    )
    return 0
  }
  addEnvFiles(context)
  return command.run(values, positionals, context)
}

function isHelp(word: string | undefined): boolean {
  return word === '--help' || word === '-h'
}
