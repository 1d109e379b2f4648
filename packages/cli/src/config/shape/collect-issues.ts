import { ConfigurationError, type ConfigurationIssue } from '@sluice/core'
import { issueText, optionPathText } from '@sluice/core/adapter'
import type { ConfigLocation } from './shape.ts'

/**
 * Returns the result of a function of core or of a provider. The options that it rejects become issues.
 *
 * @param skipped - how many steps of a path are those of the code, and not told.
 */
export function collectIssues<T>(location: ConfigLocation, make: () => T, skipped = 0): T | undefined {
  return collect(location, make, issue => {
    const path = optionPathText(issue.path.slice(skipped))
    location.add({ problem: path === '' ? issueText(issue) : `${path}: ${issueText(issue)}` })
  })
}

/** The same for settings with the names of the options: each issue has the path of its setting. */
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
