/**
 * Something that a service cannot do without. It passes unless it throws, rejects, gives `false`, or takes too long; then
 * its signal aborts.
 */
export type ReadinessCheck = (signal: AbortSignal) => unknown

/** What came of a check. Why it failed is not told: whoever asks a probe has no key. */
export type CheckState = 'ok' | 'failed' | 'timeout'

/** Runs all checks at once, each with `timeoutMs` to pass. Never rejects. */
export async function runChecks(
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
