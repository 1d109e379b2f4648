import type { MeterProvider, TracerProvider } from '@opentelemetry/api'
import { type ConfigurationIssue, configurationIssue, unknownOption } from '@sluice/core/adapter'

/** Options of `openTelemetry()`. */
export interface OpenTelemetryOptions {
  /** Default: the global one. */
  readonly tracerProvider?: TracerProvider | undefined
  /** Default: the global one. */
  readonly meterProvider?: MeterProvider | undefined
  /** Whether a request continues the trace of its caller, read by the global propagator. Default `true`. */
  readonly incoming?: boolean | undefined
  /**
   * Which providers receive the trace in request headers, written by the global propagator: all, none, or those in the
   * list. Baggage is never sent. Default `true`.
   */
  readonly outgoing?: boolean | readonly string[] | undefined
  /** Tags of principals that are reported as `sluice.tag.NAME`. Choose tags with few values. Default: none. */
  readonly tags?: readonly string[] | undefined
  /** Whether request spans have the id of the principal, as `enduser.id`. Default `false`. */
  readonly principal?: boolean | undefined
  /**
   * Whether request spans have the end user that the caller names, as `user.id`. At most 256 characters. Default `false`.
   */
  readonly user?: boolean | undefined
  /** Whether spans have the messages and tool definitions of requests, at most 64 KiB each. Default `false`. */
  readonly content?: boolean | undefined
}

/** Returns an issue for each invalid option. */
export function optionIssues(options: OpenTelemetryOptions): ConfigurationIssue[] {
  return Object.entries(options).flatMap(([name, value]) => {
    const check = Object.hasOwn(checks, name) ? checks[name as keyof OpenTelemetryOptions] : undefined
    if (check === undefined) return unknownOption([name], value, Object.keys(checks))
    return value === undefined || check.holds(value) ? [] : configurationIssue([name], value, check.expected)
  })
}

interface Check {
  readonly expected: string
  readonly holds: (value: unknown) => boolean
}

const aChoice: Check = { expected: 'true or false', holds: value => typeof value === 'boolean' }
const areNames = (value: unknown): boolean =>
  Array.isArray(value) && value.every(name => typeof name === 'string' && name !== '')
const maker = (method: string, expected: string): Check => ({
  expected,
  holds: value =>
    typeof value === 'object' && value !== null && typeof Reflect.get(value, method) === 'function',
})

const checks: Readonly<Record<keyof OpenTelemetryOptions, Check>> = {
  tracerProvider: maker('getTracer', 'a TracerProvider'),
  meterProvider: maker('getMeter', 'a MeterProvider'),
  incoming: aChoice,
  outgoing: {
    expected: 'true, false or a list of names of providers',
    holds: value => typeof value === 'boolean' || areNames(value),
  },
  tags: { expected: 'a list of names', holds: areNames },
  principal: aChoice,
  user: aChoice,
  content: aChoice,
}
