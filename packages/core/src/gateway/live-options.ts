import { withTimeout } from '../clock/with-timeout.ts'
import { RunningRequests } from '../http/running-requests.ts'
import { RunningShadows } from '../upstream/attempts/running-shadows.ts'
import type { GatewayOptions } from './config.ts'
import type { AccountingServices } from './request-accounting.ts'
import { type ResolvedOptions, resolveOptions } from './resolve.ts'

/** How long closing leases and ledger entries may take, and then flushing the ledger, in ms. */
const closeMs = 2_500

/** One set of options, from when requests begin with it to the end of the last that did. */
interface OptionsGeneration<Host> {
  readonly resolved: ResolvedOptions<Host>
  readonly services: AccountingServices
  /** A request begins with it. */
  enter(): void
  /** A request that began with it has ended. */
  leave(): void
}

/** The options of a gateway: those that requests begin with now, and older ones with which some still run. */
export class LiveOptions<Host> {
  #current: LiveGeneration<Host>
  readonly #terms = new Set<LiveGeneration<Host>>()
  /** Leases and entries that are being closed. */
  readonly #closings = new Set<Promise<unknown>>()
  readonly #endings = new Set<Promise<void>>()

  /** Shadows of requests, which may outlive them. */
  readonly shadows: RunningRequests

  /** Throws `TypeError` for options that cannot be used. */
  constructor(given: GatewayOptions<Host>) {
    const resolved = resolveOptions(given)
    this.shadows = new RunningRequests(resolved.clock)
    this.#current = this.#begin(resolved)
  }

  get current(): OptionsGeneration<Host> {
    return this.#current
  }

  /** Takes others from now on. Throws `TypeError` for those that cannot be used, and then changes nothing. */
  replace(given: GatewayOptions<Host>): void {
    const before = this.#current
    const resolved = resolveOptions(given, before.resolved)
    this.#current = this.#begin(resolved)
    resolved.healthRegistry.follow(resolved.health)
    before.retire()
  }

  /** Waits for the books of what has run, and gives back what the gateway made. Nothing may be running. */
  async end(): Promise<void> {
    for (const term of this.#terms) this.#end(term)
    // Also of what was let in when its options had been ended.
    const { clock } = this.#current.resolved
    const closed = withTimeout(clock, closeMs, allOf(this.#closings), () => undefined)
    await Promise.all([...this.#endings, closed])
  }

  #begin(resolved: ResolvedOptions<Host>): LiveGeneration<Host> {
    warnOfLocal(resolved)
    const term: LiveGeneration<Host> = new LiveGeneration(resolved, this.#closings, this.shadows, () =>
      this.#end(term),
    )
    this.#terms.add(term)
    return term
  }

  #end(term: LiveGeneration<Host>): void {
    if (!this.#terms.delete(term)) return
    const others = [...this.#terms]
    const ending = term.end(name => others.some(({ owned }) => owned[name] === term.owned[name]))
    this.#endings.add(ending)
    // One that fails stays: whoever closes the gateway hears of it.
    ending.then(
      () => this.#endings.delete(ending),
      () => {},
    )
  }
}

class LiveGeneration<Host> implements OptionsGeneration<Host> {
  /** What may be in use with other options too. */
  readonly owned: Pick<GatewayOptions<Host>, 'ledger' | 'loadShedder'>
  readonly resolved: ResolvedOptions<Host>
  readonly services: AccountingServices
  readonly #over: () => void
  readonly #closings = new Set<Promise<unknown>>()
  /** Requests and shadows. */
  #users = 0
  #retired = false

  constructor(
    resolved: ResolvedOptions<Host>,
    closings: Set<Promise<unknown>>,
    running: RunningRequests,
    over: () => void,
  ) {
    const { prices, abandonedCalls, ledger, generateId: id, random, exposesTrace: tellsTrace } = resolved
    const closing = (work: Promise<unknown>) => {
      this.#closings.add(work)
      closings.add(work)
      void work.then(() => {
        this.#closings.delete(work)
        closings.delete(work)
      })
    }
    this.owned = resolved.given
    this.resolved = resolved
    const shadows = new RunningShadows(
      running,
      () => this.enter(),
      () => this.leave(),
    )
    this.services = {
      prices,
      abandonedCalls,
      ledger,
      generateId: id,
      random,
      exposesTrace: tellsTrace,
      closing,
      shadows,
    }
    this.#over = over
  }

  enter(): void {
    this.#users++
  }

  leave(): void {
    this.#users--
    if (this.#retired && this.#users === 0) this.#over()
  }

  /** Others have taken its place. */
  retire(): void {
    this.#retired = true
    if (this.#users === 0) this.#over()
  }

  /** `shared` says whether options that are still in use have the same. */
  async end(shared: (name: 'ledger' | 'loadShedder') => boolean): Promise<void> {
    const { loadShedder, ownTransport } = this.resolved
    if (!shared('loadShedder')) loadShedder?.close?.()
    const closed = async () => ownTransport?.close?.()
    await Promise.all([closed(), this.#closeAccounts(shared('ledger'))])
  }

  async #closeAccounts(shared: boolean): Promise<void> {
    const flush = async () => this.resolved.ledger?.flush?.()
    // What waits for a database would wait until it is tried the next time.
    if (this.#closings.size > 0) void flush()
    const { clock } = this.resolved
    await withTimeout(clock, closeMs, allOf(this.#closings), () => undefined)
    if (!shared) await withTimeout(clock, closeMs, flush(), () => undefined)
  }
}

/** When all of a set that empties itself have ended, with those that come meanwhile. */
async function allOf(work: ReadonlySet<Promise<unknown>>): Promise<void> {
  while (work.size > 0) await Promise.all(work)
}

/**
 * Tells at start what its owner should know: that in production nothing but the embedded stand-in answers.
 * It goes to `observe`, or to the console where nothing observes.
 */
function warnOfLocal<Host>(options: ResolvedOptions<Host>): void {
  if (!inProduction()) return
  const targets = options.route.targets?.() ?? []
  if (targets.length === 0 || targets.some(({ provider }) => provider.name !== 'local')) return
  const message =
    'Every model of this gateway is answered by local(), which is not a language model, and NODE_ENV is production.'
  if (options.given.observe === undefined) console.warn(message)
  else options.observe({ type: 'warning', code: 'only_local_in_production', message })
}

function inProduction(): boolean {
  try {
    const there = globalThis as { process?: { env?: Record<string, string | undefined> } }
    return there.process?.env?.NODE_ENV === 'production'
  } catch {
    // Deno does not tell of the environment without leave.
    return false
  }
}
