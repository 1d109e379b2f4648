import manifest from '../package.json' with { type: 'json' }
import { type CommandContext, CommandFault, type TableEntry } from './command.ts'
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
 * Runs one command line of `sluice`. Resolves to the exit code: 0; 1 for what failed or was refused; 2 for a command line
 * that cannot be; 70 for a fault of the program, which is told with its stack. Never rejects.
 *
 * @param argv - without the program's own name.
 */
export async function main(
  argv: readonly string[],
  world: CommandContext,
  table: readonly TableEntry[] = commandTable,
): Promise<number> {
  try {
    return await run(argv, world, table)
  } catch (error) {
    if (error instanceof CommandFault) {
      world.tell(error.message)
      return error.exitCode
    }
    const stack = error instanceof Error ? (error.stack ?? error.message) : String(error)
    world.tell(
      `This is a fault of sluice ${version} and not of yours. Please report it, with what follows.\n${stack}`,
    )
    return bugCode
  }
}

async function run(
  argv: readonly string[],
  world: CommandContext,
  table: readonly TableEntry[],
): Promise<number> {
  const [first, ...others] = argv
  if (first === undefined) {
    world.tell(help(table))
    return 2
  }
  if (first === 'help' && others.length > 0) return run([...others, '--help'], world, table)
  if (isHelp(first) || first === 'help') {
    world.print(help(table))
    return 0
  }
  if (first === '--version' || first === '-v') {
    world.print(version)
    return 0
  }
  const group = table.filter(({ name }) => name.startsWith(`${first} `))
  if (group.length > 0 && isHelp(others[0])) {
    world.print(help(group))
    return 0
  }
  const { entry, rest } = findCommand(argv, table)
  const command = await entry.load()
  const { values, positionals } = readOptions(command, rest)
  if (values.help === true) {
    const { name, summary } = command
    world.print(
      `sluice ${name}: ${summary}\n\n${command.help.trim()}\n\nDocumentation: ${documentationOf(name)}`,
    )
    return 0
  }
  addEnvFiles(world)
  return command.run(values, positionals, world)
}

function isHelp(word: string | undefined): boolean {
  return word === '--help' || word === '-h'
}
