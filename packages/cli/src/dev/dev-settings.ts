import { type CommandContext, CommandError, type Values } from '../command.ts'
import { textOf } from '../command-line/arguments.ts'
import { printable } from '../command-line/printable.ts'

/** What command line and environment say of `sluice dev`, checked. */
export interface DevSettings {
  readonly host: string | undefined
  readonly port: number | undefined
  /** SLUICE_API_KEY, where it is set. */
  readonly apiKey: string | undefined
  readonly console: boolean
  /** Whether to open the console in the browser. */
  readonly open: boolean
  readonly discover: boolean
  readonly anyModel: boolean
  readonly database: string | undefined
  readonly config: string | undefined
}

/**
 * Reads them; options go before HOST and PORT of the environment, and an empty variable counts as unset. Throws
 * `CommandError` for what cannot be.
 */
export function devSettings(values: Values, env: CommandContext['env']): DevSettings {
  const apiKey = env.SLUICE_API_KEY || undefined
  if (apiKey !== undefined && !/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new CommandError(
      'SLUICE_API_KEY has characters that a key cannot have. Use visible ASCII characters without spaces.',
    )
  }
  const option = textOf(values, 'port')
  const variable = env.PORT || undefined
  return {
    host: textOf(values, 'host') ?? (env.HOST || undefined),
    port:
      option !== undefined
        ? portOf('--port', option, 2)
        : variable === undefined
          ? undefined
          : portOf('PORT', variable, 1),
    apiKey,
    console: values['no-console'] !== true,
    open: values.open === true,
    discover: values['no-discover'] !== true,
    anyModel: values['any-model'] === true,
    database: textOf(values, 'database'),
    config: textOf(values, 'config'),
  }
}

function portOf(name: string, text: string, exitCode: number): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text)
  throw new CommandError(
    `${name} is '${printable(text)}'. Set it to a whole number from 0 to 65535; 0 picks a free port.`,
    exitCode,
  )
}
