import { ConfigurationError, type Endpoint, type ManagedGateway } from '@sluice/core'
import { type ConfigurationIssue, configurationIssue, hiddenIssue, quoted } from '@sluice/core/adapter'
import { rejectMethod } from './reject-method.ts'

/** The part of a gateway that probes read. */
export type GatewayReadiness = Pick<ManagedGateway, 'ready'>

/** Paths and checks of `probes()`. */
export interface ProbeOptions {
  /** The path of the liveness probe. Default `/healthz`. */
  readonly live?: string | undefined
  /** The path of the readiness probe. Default `/readyz`. */
  readonly ready?: string | undefined
  /** Further readiness checks by name, such as `{ database: () => pool.query('select 1') }`. */
  readonly checks?: Readonly<Record<string, ReadinessCheck>> | undefined
  /** Timeout of each check, in milliseconds. Default 1,000. */
  readonly timeoutMs?: number | undefined
}

/**
 * Creates an endpoint for liveness and readiness probes. `/healthz` returns 200 while the process runs. `/readyz` returns
 * 200 while the gateway accepts requests and all checks pass, else 503. The body names the failed checks without their
 * errors. Concurrent probes share one run of the checks.
 *
 * Throws `ConfigurationError` for invalid paths, checks and timeouts.
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
      const rejected = rejectMethod(request)
      if (rejected !== undefined) return rejected
      if (path === live) return jsonResponse(request, 200, { status: 'ok' })
      const states = await readiness()
      const up = Object.values(states).every(state => state === 'ok')
      return jsonResponse(request, up ? 200 : 503, { status: up ? 'ok' : 'unavailable', checks: states })
    },
  }
}

function jsonResponse({ method }: Request, status: number, body: object): Response {
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
  const issues: ConfigurationIssue[] = []
  for (const [name, path] of Object.entries({ live, ready })) {
    if (typeof path === 'string' && path.startsWith('/')) continue
    issues.push(configurationIssue([name], path, `a path such as '/${name}'`))
  }
  if (live === ready && issues.length === 0) {
    issues.push({ path: ['ready'], received: quoted(ready), expected: 'another path than that of live' })
  }
  for (const [name, check] of checks) {
    const path = ['checks', name]
    if (name === 'gateway') {
      issues.push({ path, received: 'a reserved name', expected: "a name other than 'gateway'" })
    } else if (typeof check !== 'function') {
      issues.push(hiddenIssue(path, check, 'a function that throws if the check fails'))
    }
  }
  // A longer timer would fire at once.
  if (!(typeof timeoutMs === 'number' && timeoutMs > 0 && timeoutMs <= maxTimerMs)) {
    issues.push(configurationIssue(['timeoutMs'], timeoutMs, `milliseconds above 0, at most ${maxTimerMs}`))
  }
  if (issues.length > 0) throw new ConfigurationError('probes()', issues)
}

const maxTimerMs = 2_147_483_647

/**
 * A readiness check. It passes unless it throws, rejects, returns `false`, or times out; its signal aborts on timeout.
 */
export type ReadinessCheck = (signal: AbortSignal) => unknown

/** The result of a check. Its error is not reported: probes need no key. */
type CheckState = 'ok' | 'failed' | 'timeout'

/** Runs all checks concurrently, each with a timeout of `timeoutMs`. Never rejects. */
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
      // Resolve first: a listener of the signal may reject the check.
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
