import { withTimeout } from '../clock/with-timeout.ts'
import type { WarningEvent } from '../contracts/events.ts'
import { RunningRequests } from '../http/running-requests.ts'
import { RunningShadows } from '../upstream/attempts/running-shadows.ts'
import type { GatewayOptions } from './config.ts'
import type { AccountingServices } from './request-accounting.ts'
import { type ResolvedOptions, resolveOptions } from './resolve.ts'
import { unknownNames } from './unknown-names.ts'

/** How long closing leases and ledger entries may take, and then flushing the ledger, in ms. */
const closeMs = 2_500

/** A set of options, in use until the last request that began with it has ended. */
interface OptionsGeneration<Host> {
  readonly resolved: ResolvedOptions<Host>
  readonly services: AccountingServices
  /** A request begins with it. */
  enter(): void
  /** A request that began with it has ended. */
  leave(): void
}

/** The options of a gateway: the current ones, and older ones that requests still use. */
export class LiveOptions<Host> {
  #current: LiveGeneration<Host>
  readonly #generations = new Set<LiveGeneration<Host>>()
  /** Leases and ledger entries that are being closed. */
  readonly #closings = new Set<Promise<unknown>>()
  readonly #endings = new Set<Promise<void>>()

  /** Mirrored calls, which may outlive their requests. */
  readonly shadows: RunningRequests

  /** Throws `ConfigurationError` for invalid options. */
  constructor(given: GatewayOptions<Host>) {
    const resolved = resolveOptions(given)
    this.shadows = new RunningRequests(resolved.clock)
    this.#current = this.#begin(resolved)
  }

  get current(): OptionsGeneration<Host> {
    return this.#current
  }

  /** Replaces the options. Throws `ConfigurationError` for invalid ones, and then changes nothing. */
  replace(given: GatewayOptions<Host>): void {
    const before = this.#current
    const resolved = resolveOptions(given, before.resolved)
    this.#current = this.#begin(resolved)
    resolved.healthRegistry.follow(resolved.health)
    before.retire()
  }

  /** Waits for leases and ledger entries to be closed, and closes what the gateway created. Nothing may be running. */
  async end(): Promise<void> {
    for (const generation of this.#generations) this.#end(generation)
    // Also for requests that were admitted after their options had ended.
    const { clock } = this.#current.resolved
    const closed = withTimeout(clock, closeMs, allOf(this.#closings), () => undefined)
    await Promise.all([...this.#endings, closed])
  }

  #begin(resolved: ResolvedOptions<Host>): LiveGeneration<Host> {
    warnOfLocal(resolved)
    for (const warning of unknownNames(resolved.given)) warn(resolved, warning)
    const generation: LiveGeneration<Host> = new LiveGeneration(
      resolved,
      this.#closings,
      this.shadows,
      () => {
        resolved.usedBreakers.release()
        this.#end(generation)
      },
    )
    this.#generations.add(generation)
    return generation
  }

  #end(generation: LiveGeneration<Host>): void {
    if (!this.#generations.delete(generation)) return
    const others = [...this.#generations]
    const ending = generation.end(name => others.some(({ owned }) => owned[name] === generation.owned[name]))
    this.#endings.add(ending)
    // One that fails stays, so that `close` rejects with it.
    ending.then(
      () => this.#endings.delete(ending),
      () => {},
    )
  }
}

class LiveGeneration<Host> implements OptionsGeneration<Host> {
  /** What other generations may use too. */
  readonly owned: Pick<GatewayOptions<Host>, 'ledger' | 'loadShedder'>
  readonly resolved: ResolvedOptions<Host>
  readonly services: AccountingServices
  readonly #over: () => void
  readonly #closings = new Set<Promise<unknown>>()
  /** Number of running requests and shadows. */
  #users = 0
  #retired = false

  constructor(
    resolved: ResolvedOptions<Host>,
    closings: Set<Promise<unknown>>,
    running: RunningRequests,
    over: () => void,
  ) {
    const { prices, abandonedCalls, ledger, generateId, random, exposesTrace, exposesCost, metadataTags } =
      resolved
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
      generateId,
      random,
      exposesTrace,
      exposesCost,
      metadataTags,
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

  /** New options have replaced it. */
  retire(): void {
    this.#retired = true
    if (this.#users === 0) this.#over()
  }

  /** `shared` returns whether options that are still in use have the same instance. */
  async end(shared: (name: 'ledger' | 'loadShedder') => boolean): Promise<void> {
    const { loadShedder, ownTransport } = this.resolved
    if (!shared('loadShedder')) loadShedder?.close?.()
    const closed = async () => ownTransport?.close?.()
    await Promise.all([closed(), this.#closeAccounts(shared('ledger'))])
  }

  async #closeAccounts(shared: boolean): Promise<void> {
    const flush = async () => this.resolved.ledger?.flush?.()
    // Starts a retry now, as pending writes would wait for the next one.
    if (this.#closings.size > 0) void flush()
    const { clock } = this.resolved
    await withTimeout(clock, closeMs, allOf(this.#closings), () => undefined)
    if (!shared) await withTimeout(clock, closeMs, flush(), () => undefined)
  }
}

/** Resolves when a set of promises that remove themselves is empty, also of those added meanwhile. */
async function allOf(work: ReadonlySet<Promise<unknown>>): Promise<void> {
  while (work.size > 0) await Promise.all(work)
}

/** Warns through `observe`, or on the console without it. */
function warn<Host>({ given, observe }: ResolvedOptions<Host>, warning: WarningEvent): void {
  if (given.observe === undefined) console.warn(warning.message)
  else observe(warning)
}

/** Warns if `local()` serves every model in production. */
function warnOfLocal<Host>(options: ResolvedOptions<Host>): void {
  if (!inProduction()) return
  const targets = options.route.targets?.() ?? []
  if (targets.length === 0 || targets.some(({ provider }) => provider.name !== 'local')) return
  const message =
    'Every model of this gateway is answered by local(), which is not a language model, and NODE_ENV is production.'
  warn(options, { type: 'warning', code: 'only_local_in_production', message })
}

function inProduction(): boolean {
  try {
    const there = globalThis as { process?: { env?: Record<string, string | undefined> } }
    return there.process?.env?.NODE_ENV === 'production'
  } catch {
    // Deno throws without the permission to read the environment.
    return false
  }
}
