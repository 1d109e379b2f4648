import { ConfigurationError, type ConfigurationIssue } from '@sluice/core'
import { issueText, optionPathText } from '@sluice/core/adapter'
import type { ConfigLocation } from './shape.ts'

/**
 * What code of the core or of a provider gives; what it refuses is a fault here.
 *
 * @param skipped - how many steps of a path are those of the code, and not told.
 */
export function collectIssues<T>(location: ConfigLocation, make: () => T, skipped = 0): T | undefined {
  return collect(location, make, issue => {
    const path = optionPathText(issue.path.slice(skipped))
    location.add({ problem: path === '' ? issueText(issue) : `${path}: ${issueText(issue)}` })
  })
}

/** The same of options that stand here under the names that the code has for them: each has its faults where it stands. */
export function collectOptionIssues<T>(location: ConfigLocation, make: () => T, skipped = 0): T | undefined {
  return collect(location, make, issue => {
    addIssue(
      issue.path.slice(skipped).reduce<ConfigLocation>((at, step) => at.at(step), location),
      issue,
    )
  })
}

/** Adds an issue where it stands. */
export function addIssue(
  location: ConfigLocation,
  { received, expected, suggestion }: ConfigurationIssue,
): void {
  const fix = suggestion === undefined ? undefined : `Did you mean '${suggestion}'?`
  location.add({ got: received, expected, fix })
}

function collect<T>(
  location: ConfigLocation,
  make: () => T,
  add: (issue: ConfigurationIssue) => void,
): T | undefined {
  try {
    return make()
  } catch (error) {
    if (ConfigurationError.is(error)) {
      for (const issue of error.issues) add(issue)
      return undefined
    }
    if (!(error instanceof TypeError || error instanceof RangeError)) throw error
    return location.add({ problem: error.message })
  }
}
