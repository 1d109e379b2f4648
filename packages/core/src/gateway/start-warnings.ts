import type { ResolvedOptions } from './resolve.ts'

/**
 * Tells at start what its owner should know: that in production nothing but the embedded stand-in answers.
 * It goes to `observe`, or to the console where nothing observes.
 */
export function warnOfLocal<Host>(options: ResolvedOptions<Host>): void {
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
