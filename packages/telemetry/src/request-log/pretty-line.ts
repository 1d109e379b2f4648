import type { Colours, Paint } from './colours.ts'
import type { LogEntry, LogFields } from './logger.ts'
import { plainText } from './plain-text.ts'

/** Returns a log entry as a line for people. */
export function prettyLine(entry: LogEntry, at: Date, colours: Colours): string {
  const { level, message, fields } = entry
  const time = colours.dim(clockTime(at))
  if (message === 'request') return `${time} ${requestText(fields, colours)}`
  const paint = level === 'info' ? colours.good : level === 'warn' ? colours.warn : colours.bad
  const head = paint(plainText(message))
  const rest = joined(
    Object.entries(fields).map(([name, value]) => (value === null ? '' : `${name}=${shown(value)}`)),
  )
  return `${time} ${head} ${rest}`.trimEnd()
}

function requestText(fields: LogFields, colours: Colours): string {
  const { status, operation, principal, model, provider, upstreamModel, stream, error } = fields
  const target = provider === null ? '' : colours.dim(`-> ${shown(provider)}/${shown(upstreamModel)}`)
  return joined([
    statusPaint(Number(status), colours)(String(status)),
    shown(model),
    target,
    `[${shown(principal)}]`,
    operation === 'generate' ? '' : shown(operation),
    stream === true ? 'stream' : '',
    measures(fields).join(', '),
    error === null ? notCompleted(fields) : colours.bad(failureText(fields)),
  ])
}

function measures(fields: LogFields): string[] {
  const { firstByteMs, totalMs, promptTokens, completionTokens, costUsd, attempts, failovers, cache } = fields
  const all = [
    fields.stream === true && typeof firstByteMs === 'number' ? `first ${duration(firstByteMs)}` : '',
    duration(Number(totalMs)),
    promptTokens === null
      ? ''
      : `${fields.usageEstimated === true ? '~' : ''}${promptTokens}+${completionTokens} tokens`,
    typeof costUsd === 'number' ? dollars(costUsd) : '',
    Number(attempts) > 1 ? `${attempts} attempts` : '',
    Number(failovers) > 0 ? `${failovers} ${failovers === 1 ? 'failover' : 'failovers'}` : '',
    cache === 'hit' ? 'from the cache' : '',
    fields.replayed === true ? 'replayed' : '',
    typeof fields.wouldHaveRefused === 'string' ? `would reject: ${shown(fields.wouldHaveRefused)}` : '',
  ]
  return all.filter(text => text !== '')
}

/** `completed` goes without saying. */
function notCompleted({ outcome }: LogFields): string {
  return outcome === 'completed' ? '' : String(outcome).replaceAll('_', ' ')
}

function failureText({
  outcome,
  error,
  authFailure,
  authFailureId,
  errorStatus,
  errorMessage,
  errorStack,
  requestId,
}: LogFields): string {
  const who = authFailureId === null ? authFailure : `${shown(authFailure)}: ${shown(authFailureId)}`
  const why = authFailure === null ? null : `(${shown(who)})`
  const more = [why, errorStatus, errorMessage, errorStack].filter(
    value => value !== null && value !== undefined,
  )
  const where = outcome === 'refused' ? '' : ` (${shown(requestId)})`
  return `${joined([shown(error), ...more.map(shown)])}${where}`
}

function statusPaint(status: number, { good, warn, bad }: Colours): Paint {
  return status < 400 ? good : status < 500 ? warn : bad
}

function duration(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(2)} s`
}

/** With two significant digits below 1. */
function dollars(cost: number): string {
  return cost === 0 || cost >= 1
    ? `$${cost.toFixed(2)}`
    : `$${Number(cost.toPrecision(2)).toFixed(decimals(cost))}`
}

function decimals(cost: number): number {
  return Math.min(12, Math.max(2, 1 - Math.floor(Math.log10(cost))))
}

function shown(value: LogFields[string] | undefined): string {
  return value === null || value === undefined ? '-' : plainText(String(value))
}

function joined(pieces: readonly string[]): string {
  return pieces.filter(piece => piece !== '').join(' ')
}

/** In the time zone of the process. */
function clockTime(at: Date): string {
  return [at.getHours(), at.getMinutes(), at.getSeconds()]
    .map(part => String(part).padStart(2, '0'))
    .join(':')
}
