import { defaultTransport } from '#transport'
import type { GatewayOptions, IntakeLimits, StreamPacing } from '../config.ts'
import type { Observer } from '../events.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Prices } from '../prices.ts'
import { ownMembers } from '../protocol/own-members.ts'
import type { Authenticator } from '../stages/authenticate.ts'
import type { Authorizer } from '../stages/authorize.ts'
import type { CallWorld } from '../stages/call.ts'
import type { Limiter } from '../stages/limit.ts'
import type { Route } from '../stages/route.ts'
import type { ValidationRules } from '../stages/validate.ts'
import type { Transport } from '../transport.ts'
import { boundedPolicies } from './bounded-policies.ts'
import { defaultIntake, defaultPacing, defaultTimeouts } from './defaults.ts'
import { faultsOf } from './faults.ts'
import { quietObserver, soundId, soundNow, soundPrices } from './guarded-functions.ts'
import { watchedLedger } from './watched-ledger.ts'

/** Options with everything filled in. */
export interface ResolvedOptions<Host> {
  readonly authenticate: Authenticator<Host>
  readonly route: Route
  readonly authorize: Authorizer
  readonly limit: Limiter | undefined
  /** Never throws, and gives no price that is none. */
  readonly prices: Prices
  readonly ledger: Ledger | undefined
  /** Never throws. */
  readonly observe: Observer
  readonly base: string
  readonly rules: ValidationRules
  readonly intake: IntakeLimits
  readonly stream: StreamPacing
  readonly call: CallWorld
  /** The transport that the gateway made itself and has to close. */
  readonly ownTransport: Transport | undefined
  readonly now: () => number
  readonly id: () => string
  readonly random: () => number
}

/**
 * Fills in what is not set. Throws `TypeError` naming every option that is wrong: a gateway with half a
 * configuration does not start.
 */
export function resolveOptions<Host>(given: GatewayOptions<Host>): ResolvedOptions<Host> {
  const faults = faultsOf(given)
  if (faults.length > 0)
    throw new TypeError(`createGateway got options that it cannot use:\n- ${faults.join('\n- ')}`)
  const options = ownMembers(given)
  const timeouts = filled(defaultTimeouts, options.timeouts)
  const stream = filled(defaultPacing, options.stream)
  const observe = quietObserver(options.observe)
  const ownTransport =
    options.transport === undefined ? defaultTransport({ connectMs: timeouts.connectMs }) : undefined
  return {
    ...boundedPolicies(options, timeouts.policyMs),
    prices: soundPrices(options.prices),
    ledger: watchedLedger(options.ledger, timeouts.policyMs, observe),
    observe,
    base: options.base ?? '/v1',
    rules: {
      profile: options.validation ?? 'schema',
      unknownParameters: options.unknownParameters ?? 'pass',
    },
    intake: filled(defaultIntake, options.intake),
    stream,
    call: {
      transport: options.transport ?? ownTransport!,
      timeouts,
      clock: () => performance.now(),
      maxAttempts: options.maxAttempts ?? 3,
      holdMs: stream.holdMs,
      unsupportedParameters: options.unsupportedParameters ?? 'refuse',
    },
    ownTransport,
    now: soundNow(options.now),
    id: soundId(options.id),
    random: options.random ?? Math.random,
  }
}

function filled<T extends object>(defaults: T, given: Partial<T> | undefined): T {
  const set = Object.entries(given ?? {}).filter(([, value]) => value !== undefined)
  return { ...defaults, ...Object.fromEntries(set) }
}
