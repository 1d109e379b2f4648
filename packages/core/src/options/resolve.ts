import { defaultTransport } from '#transport'
import type { GatewayOptions, IntakeLimits, StreamPacing } from '../config.ts'
import type { Observer } from '../events.ts'
import { modelPatterns } from '../policies/model-patterns.ts'
import type { Authenticator } from '../stages/authenticate.ts'
import type { Authorizer } from '../stages/authorize.ts'
import type { CallWorld } from '../stages/call.ts'
import type { Limiter } from '../stages/limit.ts'
import type { Route } from '../stages/route.ts'
import type { ValidationRules } from '../stages/validate.ts'
import type { Transport } from '../transport.ts'
import { defaultIntake, defaultPacing, defaultTimeouts } from './defaults.ts'
import { faultsOf } from './faults.ts'

/** Options with everything filled in. */
export interface ResolvedOptions<Host> {
  readonly authenticate: Authenticator<Host>
  readonly route: Route
  readonly authorize: Authorizer
  readonly limit: Limiter | undefined
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
export function resolveOptions<Host>(options: GatewayOptions<Host>): ResolvedOptions<Host> {
  const faults = faultsOf(options)
  if (faults.length > 0)
    throw new TypeError(`createGateway got options that it cannot use:\n- ${faults.join('\n- ')}`)
  const timeouts = filled(defaultTimeouts, options.timeouts)
  const stream = filled(defaultPacing, options.stream)
  const ownTransport =
    options.transport === undefined ? defaultTransport({ connectMs: timeouts.connectMs }) : undefined
  return {
    authenticate: options.authenticate,
    route: options.route,
    authorize: options.authorize ?? modelPatterns,
    limit: options.limit,
    observe: quiet(options.observe),
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
    now: options.now ?? Date.now,
    id: options.id === undefined ? freshId : safe(options.id),
    random: options.random ?? Math.random,
  }
}

/** Ids of the user's making; an answer needs one even where that fails. */
function safe(id: () => string): () => string {
  return () => {
    try {
      return id()
    } catch {
      return freshId()
    }
  }
}

function freshId(): string {
  return crypto.randomUUID().replaceAll('-', '')
}

/** An observer whose throws are nobody's problem but its own. */
function quiet(observe: Observer | undefined): Observer {
  if (observe === undefined) return () => {}
  return event => {
    try {
      const result: unknown = observe(event)
      if (result instanceof Promise) result.catch(() => {})
    } catch {
      // It sees; it cannot change what it sees.
    }
  }
}

function filled<T extends object>(defaults: T, given: Partial<T> | undefined): T {
  const set = Object.entries(given ?? {}).filter(([, value]) => value !== undefined)
  return { ...defaults, ...Object.fromEntries(set) }
}
