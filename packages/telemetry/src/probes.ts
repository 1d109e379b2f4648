import type { Endpoint, ManagedGateway } from '@sluice/core'
import { refusedMethod } from './reject-method.ts'

/** What probes ask of a gateway. */
export type GatewayReadiness = Pick<ManagedGateway, 'ready'>

/** What probes are asked under, and what has to pass. */
export interface ProbeOptions {
  /** The path that says whether the process answers. Default `/healthz`. */
  readonly live?: string
  /** The path that says whether it should be sent requests. Default `/readyz`. */
  readonly ready?: string
  /** What has to pass, beside the gateway itself, by names of your own: `{ database: () => pool.query('select 1') }`. */
  readonly checks?: Readonly<Record<string, ReadinessCheck>>
  /** How long each check may take, in milliseconds. Default 1,000. */
  readonly timeoutMs?: number
}

/**
 * Answers whoever starts and stops processes: 200 under `/healthz` for as long as the process answers; under `/readyz` 200
 * while the gateway takes requests and all checks pass, else 503. The body names what failed, and never why. Those who ask
 * at the same time share one run of the checks.
 *
 * Throws `TypeError` for paths, checks and spans of time that are none.
 */
export function probes(gateway: GatewayReadiness, options: ProbeOptions = {}): Endpoint {
  const { live = '/healthz', ready = '/readyz', timeoutMs = 1_000 } = options
  const checks = new Map(Object.entries(options.checks ?? {}))
  checkOptions(live, ready, checks, timeoutMs)
  let running: Promise<Readonly<Record<string, CheckState>>> | undefined
  const checked = () => {
    running ??= runChecks(checks, timeoutMs).finally(() => {
      running = undefined
    })
    return running
  }
  const readiness = async (): Promise<Readonly<Record<string, CheckState>>> => {
    const states = checks.size === 0 ? {} : await checked()
    return { gateway: gateway.ready ? 'ok' : 'failed', ...states }
  }
  return {
    matches: path => path === live || path === ready,
    fetch: async (request, path) => {
      const refused = refusedMethod(request)
      if (refused !== undefined) return refused
      if (path === live) return told(request, 200, { status: 'ok' })
      const states = await readiness()
      const up = Object.values(states).every(state => state === 'ok')
      return told(request, up ? 200 : 503, { status: up ? 'ok' : 'unavailable', checks: states })
    },
  }
}

function told({ method }: Request, status: number, body: object): Response {
  return new Response(method === 'HEAD' ? null : `${JSON.stringify(body)}\n`, {
    status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  })
}

function checkOptions(
  live: string,
  ready: string,
  checks: ReadonlyMap<string, ReadinessCheck>,
  timeoutMs: number,
): void {
  for (const [name, path] of Object.entries({ live, ready })) {
    if (typeof path === 'string' && path.startsWith('/')) continue
    throw new TypeError(`probes(): ${name} is ${JSON.stringify(path)}, expected a path such as '/${name}'.`)
  }
  if (live === ready) throw new TypeError(`probes(): live and ready are both '${live}', expected two paths.`)
  for (const [name, check] of checks) {
    if (name === 'gateway')
      throw new TypeError("probes(): no check may be called 'gateway': that is its own.")
    if (typeof check !== 'function')
      throw new TypeError(
        `probes(): the check '${name}' is no function, expected one that throws where it fails.`,
      )
  }
  // More than a timer takes would be over at once.
  if (!(typeof timeoutMs === 'number' && timeoutMs > 0 && timeoutMs <= 0x7fff_ffff)) {
    throw new TypeError(`probes(): got timeoutMs ${String(timeoutMs)}, expected milliseconds above 0.`)
  }
}

/**
 * Something that a service cannot do without. It passes unless it throws, rejects, gives `false`, or takes too long; then
 * its signal aborts.
 */
export type ReadinessCheck = (signal: AbortSignal) => unknown

/** What came of a check. Why it failed is not told: whoever asks a probe has no key. */
type CheckState = 'ok' | 'failed' | 'timeout'

/** Runs all checks at once, each with `timeoutMs` to pass. Never rejects. */
async function runChecks(
  checks: ReadonlyMap<string, ReadinessCheck>,
  timeoutMs: number,
): Promise<Readonly<Record<string, CheckState>>> {
  const states = await Promise.all(
    [...checks].map(async ([name, check]) => [name, await stateOf(check, timeoutMs)] as const),
  )
  return Object.fromEntries(states)
}

async function stateOf(check: ReadinessCheck, timeoutMs: number): Promise<CheckState> {
  const ending = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<CheckState>(resolve => {
    timer = setTimeout(() => {
      // First the answer: what listens to the signal may reject the check.
      resolve('timeout')
      ending.abort()
    }, timeoutMs)
  })
  try {
    return await Promise.race([passed(check, ending.signal), late])
  } catch {
    return 'failed'
  } finally {
    clearTimeout(timer)
  }
}

async function passed(check: ReadinessCheck, signal: AbortSignal): Promise<CheckState> {
  return (await check(signal)) === false ? 'failed' : 'ok'
}
