import { ConfigurationError, createGateway } from '@sluice/core'
import type { TypedConfig } from './config.ts'
import { scalars } from './gateway-options.ts'
import { addIssue, collectIssues } from './shape/collect-issues.ts'
import type { ConfigLocation } from './shape/shape.ts'

/** Options whose names in a configuration are others. */
const configPaths: Readonly<Record<string, readonly string[]>> = {
  basePath: ['server', 'basePath'],
  loadShedder: ['maxInFlight'],
}

/** Validates all options but routes, callers and limits with the core, and reports its issues. */
export function checkOptions(config: TypedConfig, root: ConfigLocation): void {
  const own = (name: string) => Object.hasOwn(config.gateway ?? {}, name)
  const valid = Object.entries(collectIssues(root, () => scalars(config)) ?? {}).filter(
    ([name]) => !root.issues.has(configPaths[name] ?? [name]),
  )
  try {
    const gateway = createGateway({
      authenticate: () => undefined,
      route: () => [],
      observe: () => {},
      // Its own would have to be closed.
      transport: () => Promise.reject(new Error('It asks nobody.')),
      ...Object.fromEntries(valid),
      ...config.gateway,
    })
    void gateway.close({ drainMs: 0 })
  } catch (error) {
    if (!ConfigurationError.is(error)) throw error
    for (const issue of error.issues) {
      const [name = '', ...below] = issue.path.map(String)
      const isOwn = own(name) || name === ''
      const path = isOwn ? ['gateway', ...issue.path] : [...(configPaths[name] ?? [name]), ...below]
      addIssue(
        path.reduce<ConfigLocation>((at, step) => at.at(step), root),
        issue,
      )
    }
  }
}
