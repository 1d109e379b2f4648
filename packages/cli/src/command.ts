import type { ParseArgsConfig } from 'node:util'

/** What a command has of the world: all that it reads, writes and waits for. Tests bring their own. */
export interface CommandContext {
  /** `main` adds the variables of `.env` files to it. */
  readonly env: Record<string, string | undefined>
  /** Where relative paths begin. */
  readonly cwd: string
  /** What was asked for: a list, a transcript, JSON. */
  readonly print: (text: string) => void
  /** What is beside it: progress, warnings, faults. */
  readonly tell: (text: string) => void
  /** The operating system, which decides how a command is quoted. */
  readonly platform: NodeJS.Platform
  /** Whether a person reads what is printed. */
  readonly terminal: boolean
  /** Whether colours may be used. */
  readonly colours: boolean
  /** Aborts when the command is to end: Ctrl+C, SIGTERM, or a test that has seen enough. */
  readonly signal: AbortSignal
  readonly now: () => number
}

export type Values = Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>

/** One command of `sluice`. */
export interface Command {
  /** As it is typed: `keys create` is two words. */
  readonly name: string
  /** One line of `sluice --help`. */
  readonly summary: string
  /** All of `sluice <name> --help`, but for the name: usage, options with their defaults, an example. */
  readonly help: string
  /** As `parseArgs` of `node:util` takes them. `help` is known to every command. */
  readonly options: NonNullable<ParseArgsConfig['options']>
  /** Words that can follow the name, which shells complete. */
  readonly words?: readonly string[]
  /**
   * Does it, and gives the exit code: 0, or 1 for what failed or was refused, 2 for a command line that cannot be. What
   * it throws as a `CommandFault` is told in its words; anything else is a bug, and told with its stack.
   */
  readonly run: (values: Values, positionals: readonly string[], world: CommandContext) => Promise<number>
}

/** A command by what `sluice --help` says of it; the rest of it is loaded when it is asked for. */
export interface TableEntry {
  readonly name: string
  readonly summary: string
  readonly load: () => Promise<Command>
}

/** Something that a person has to mend, told in full by its message. */
export class CommandFault extends Error {
  readonly exitCode: number

  constructor(message: string, exitCode = 1) {
    super(message)
    this.name = 'CommandFault'
    this.exitCode = exitCode
  }
}
