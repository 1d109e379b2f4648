/** The fields of a log entry, without nested objects. */
export type LogFields = Readonly<Record<string, string | number | boolean | null>>

/** Receives log entries as objects. pino's loggers fit. */
export interface Logger {
  info(fields: LogFields, message: string): void
  warn(fields: LogFields, message: string): void
  error(fields: LogFields, message: string): void
}

/** One log entry, before formatting. */
export interface LogEntry {
  readonly level: 'info' | 'warn' | 'error'
  /** The kind of entry: the same for all entries of a kind. */
  readonly message: string
  readonly fields: LogFields
}
