import type { ParseArgsConfig } from 'node:util'

/** Everything that a command reads, writes and waits for. Tests pass their own. */
export interface CommandContext {
  /** `main` adds the variables of `.env` files to it. */
  readonly env: Record<string, string | undefined>
  /** Where relative paths begin. */
  readonly cwd: string
  /** Writes a line of the result to standard output. */
  readonly print: (text: string) => void
  /** Writes a line of progress, a warning or an error to standard error. */
  readonly log: (text: string) => void
  /** The operating system, which decides how a command is quoted. */
  readonly platform: NodeJS.Platform
  /** Whether standard output is a terminal. */
  readonly terminal: boolean
  /** Whether colours may be used. */
  readonly colours: boolean
  /** Aborts when the command must end: Ctrl+C, SIGTERM, or the end of a test. */
  readonly signal: AbortSignal
  readonly now: () => number
  /** Opens a URL in the browser. Rejects with an error if that fails. */
  readonly openUrl: (url: string) => Promise<void>
  /**
   * Calls a listener with each line that is typed, and returns what ends that; `undefined` where standard input is no
   * terminal.
   */
  readonly onLine: ((listener: (line: string) => void) => () => void) | undefined
  /** Returns the addresses by which other machines can reach this one. */
  readonly networkAddresses: () => readonly string[]
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
   * Runs the command. Returns the exit code: 0; 1 for a failure; 2 for an invalid command line. Of a `CommandError`
   * only the message is printed; any other error is a bug and is printed with its stack.
   */
  readonly run: (values: Values, positionals: readonly string[], context: CommandContext) => Promise<number>
}

/** A command in `sluice --help`. The command itself is loaded on demand. */
export interface TableEntry {
  readonly name: string
  readonly summary: string
  readonly load: () => Promise<Command>
}

/** An error that the user can fix. Its message says how. */
export class CommandError extends Error {
  readonly exitCode: number

  constructor(message: string, exitCode = 1) {
    super(message)
    this.name = 'CommandError'
    this.exitCode = exitCode
  }
}
