import type { PartialOptions } from '../contracts/partial-options.ts'
import type { OptionChecks } from '../errors/check-options.ts'
import { type ConfigurationIssue, configurationIssue } from '../errors/configuration-error.ts'
import { withDefaults } from '../primitives/with-defaults.ts'

/** Bounds of responses that run in the background (`background: true` in the Responses API). */
export interface BackgroundOptions {
  /** Maximum number that run at the same time; further ones are a 503. Default 500. */
  readonly maxRunning: number
  /** Maximum number that run at the same time for one principal; further ones are a 429. Default 20. */
  readonly maxRunningPerPrincipal: number
  /**
   * Maximum time from the first upstream call to the end of the response, in milliseconds. It takes the place of
   * `timeouts.totalMs` and `timeouts.responseMs`. Default 1,800,000 (30 minutes).
   */
  readonly maxMs: number
}

/** The options that decide whether anything can run in the background. */
interface GivenOptions {
  readonly background?: PartialOptions<BackgroundOptions> | false | undefined
  /** `false`: nothing is stored. */
  readonly responses?: unknown
}

const defaultBackground: BackgroundOptions = {
  maxRunning: 500,
  maxRunningPerPrincipal: 20,
  maxMs: 1_800_000,
}

/** Returns the bounds; `undefined` where nothing can run in the background. */
export function backgroundOf({ background, responses }: GivenOptions): BackgroundOptions | undefined {
  if (background === false || responses === false) return undefined
  if (background === undefined && !hasProcess()) return undefined
  return withDefaults(defaultBackground, background)
}

/** Returns an issue for an option that asks for what cannot be done. */
export function backgroundIssues({ background, responses }: GivenOptions): ConfigurationIssue[] {
  if (typeof background !== 'object' || background === null) return []
  if (!hasProcess())
    return [
      configurationIssue(['background'], background, 'false: this runtime ends a process with its requests'),
    ]
  if (responses === false)
    return [configurationIssue(['background'], background, 'false, or a store of responses (responses)')]
  return []
}

/** Checks of the options, by name. `aCount` and `aSpan` check a number and a time. */
export function backgroundChecks(aCount: OptionChecks[string], aSpan: OptionChecks[string]): OptionChecks {
  return { maxRunning: aCount!, maxRunningPerPrincipal: aCount!, maxMs: aSpan! }
}

/** What tells the runtimes apart. */
interface RuntimeGlobals {
  readonly process?: { readonly versions?: { readonly node?: unknown } }
  readonly Deno?: { readonly version?: unknown }
  readonly navigator?: { readonly userAgent?: unknown }
  readonly EdgeRuntime?: unknown
}

/**
 * Whether the runtime has a process that lives on between requests, such as Node, Bun and Deno. Edge runtimes that imitate Node
 * end their work with the response.
 */
function hasProcess(): boolean {
  const there = globalThis as RuntimeGlobals
  const isEdge = there.EdgeRuntime !== undefined || /worker/i.test(String(there.navigator?.userAgent ?? ''))
  return !isEdge && (there.Deno?.version !== undefined || there.process?.versions?.node !== undefined)
}
