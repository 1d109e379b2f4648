import { ConfigurationError, createGateway } from '@sluice/core'
import type { TypedConfig } from './config.ts'
import { scalars } from './gateway-options.ts'
import { addIssue, tried } from './shape/collect-issues.ts'
import type { Place } from './shape/shape.ts'

/** Options whose names in a configuration are others. */
const places: Readonly<Record<string, readonly string[]>> = {
  basePath: ['server', 'basePath'],
  loadShedder: ['maxInFlight'],
}

/** Lets the core look at what is no part of routes, callers and limits, and tells of what it refuses. */
export function checkOptions(config: TypedConfig, root: Place): void {
  const own = (name: string) => Object.hasOwn(config.gateway ?? {}, name)
  const sound = Object.entries(tried(root, () => scalars(config)) ?? {}).filter(
    ([name]) => !root.faults.has(places[name] ?? [name]),
  )
  try {
    const gateway = createGateway({
      authenticate: () => undefined,
      route: () => [],
      observe: () => {},
      // Its own would have to be closed.
      transport: () => Promise.reject(new Error('It asks nobody.')),
      ...Object.fromEntries(sound),
      ...config.gateway,
    })
    void gateway.close({ drainMs: 0 })
  } catch (error) {
    if (!ConfigurationError.is(error)) throw error
    for (const issue of error.issues) {
      const [name = '', ...below] = issue.path.map(String)
      const isOwn = own(name) || name === ''
      const path = isOwn ? ['gateway', ...issue.path] : [...(places[name] ?? [name]), ...below]
      addIssue(
        path.reduce<Place>((at, step) => at.at(step), root),
        issue,
      )
    }
  }
}
