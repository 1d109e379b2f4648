/** What a line says, flat: nothing in it is an object. */
export type LogFields = Readonly<Record<string, string | number | boolean | null>>

/** Takes lines as objects. Loggers such as pino's fit. */
export interface Logger {
  info(fields: LogFields, message: string): void
  warn(fields: LogFields, message: string): void
  error(fields: LogFields, message: string): void
}

/** One line, before it has a form. */
export interface LogEntry {
  readonly level: 'info' | 'warn' | 'error'
  /** What it is about: the same for all lines of a kind. */
  readonly message: string
  readonly fields: LogFields
}
