import { ConfigurationError, type Observer } from '@sluice/core'
import { type ConfigurationIssue, configurationIssue } from '@sluice/core/adapter'
import { noColours, terminalColours } from './request-log/colours.ts'
import type { LogEntry, Logger } from './request-log/logger.ts'
import { steering } from './request-log/plain-text.ts'
import { prettyLine } from './request-log/pretty-line.ts'
import { toEntry } from './request-log/to-entry.ts'

/** Options of `requestLog()`. */
export interface RequestLogOptions {
  /** Receives each line, without a line break. Default: standard output. */
  readonly write?: ((line: string) => void) | undefined
  /** `auto` (default): pretty if there is no `write` and standard output is a terminal, else JSON. */
  readonly format?: 'auto' | 'pretty' | 'json' | undefined
  /** Whether pretty lines have colours. Default `false`: terminals and `NO_COLOR` are not checked. */
  readonly colours?: boolean | undefined
  /** Receives the entries as objects, instead of the three options above: pino, or a logger like it. */
  readonly logger?: Logger | undefined
  /**
   * Whether to log the messages of errors from your own functions, databases and stores. They may quote what a caller
   * sent. Default `false`: only their name, system code and location are logged.
   */
  readonly errorMessages?: boolean | undefined
  /** Milliseconds since 1970. Default `Date.now`. */
  readonly now?: (() => number) | undefined
}

/**
 * An observer that writes one line for each request when its response has ended, and one for each change of a target or a
 * store, each warning and each internal error. Prompts, responses, keys and vendors' messages are never logged.
 *
 * Throws `ConfigurationError` for options that are invalid or contradict each other.
 */
export function requestLog(options: RequestLogOptions = {}): Observer {
  checkOptions(options)
  const { errorMessages = false } = options
  const log = options.logger === undefined ? lineWriter(options) : objectWriter(options.logger)
  return event => {
    const entry = toEntry(event, errorMessages)
    if (entry !== undefined) log(entry)
  }
}

function objectWriter(logger: Logger): (entry: LogEntry) => void {
  return ({ level, message, fields }) => logger[level](fields, message)
}

function lineWriter({ write, format = 'auto', colours = false, now = Date.now }: RequestLogOptions) {
  const output = write === undefined ? standardOutput() : undefined
  const put = write ?? (output && ((line: string) => void output.write(`${line}\n`)))
  if (put === undefined) {
    throw new ConfigurationError('requestLog()', [
      {
        path: ['write'],
        received: 'undefined in a runtime without standard output',
        expected: 'a function that takes a line, or the option logger',
      },
    ])
  }
  const pretty = format === 'pretty' || (format === 'auto' && output?.isTTY === true)
  const paints = colours ? terminalColours : noColours
  return (entry: LogEntry) => {
    const at = new Date(now())
    put(pretty ? prettyLine(entry, at, paints) : jsonLine(entry, at))
  }
}

function checkOptions({ write, format = 'auto', logger, colours }: RequestLogOptions): void {
  const issues: ConfigurationIssue[] = []
  if (!['auto', 'pretty', 'json'].includes(format)) {
    issues.push(configurationIssue(['format'], format, "'auto', 'pretty' or 'json'"))
  }
  if (write !== undefined && typeof write !== 'function') {
    issues.push(configurationIssue(['write'], write, 'a function that takes a line'))
  }
  if (logger !== undefined) {
    if (write !== undefined || format !== 'auto' || colours !== undefined) {
      issues.push({
        path: ['logger'],
        received: 'a logger together with write, format or colours',
        expected: 'a logger alone: it formats its own lines',
      })
    }
    const missing = (['info', 'warn', 'error'] as const).filter(
      level => typeof logger?.[level] !== 'function',
    )
    if (missing.length > 0) {
      issues.push({
        path: ['logger'],
        received: `a logger without ${missing.join(', ')}`,
        expected: 'an object with the functions info, warn and error',
      })
    }
  }
  if (issues.length > 0) throw new ConfigurationError('requestLog()', issues)
}

/** Returns one line of JSON. Control characters are escaped: no text can break the line or control a terminal. */
function jsonLine({ level, message, fields }: LogEntry, at: Date): string {
  const text = JSON.stringify({ time: at.toISOString(), level, message, ...fields })
  return text.replace(steering, escaped)
}

function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index))
  return units.map(unit => `\\u${unit.toString(16).padStart(4, '0')}`).join('')
}

/** The standard output of a process. */
interface StandardOutput {
  readonly isTTY?: boolean
  write(text: string): unknown
}

/** Returns the one of this process; `undefined` in runtimes without one. */
function standardOutput(): StandardOutput | undefined {
  return (globalThis as { process?: { stdout?: StandardOutput } }).process?.stdout
}
