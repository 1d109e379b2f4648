import { ConfigurationError, type ConfigurationIssue } from '@sluice/core'
import { issueText, optionPathText } from '@sluice/core/adapter'
import type { Place } from './shape.ts'

/**
 * What code of the core or of a provider gives; what it refuses is a fault here.
 *
 * @param skipped - how many steps of a path are those of the code, and not told.
 */
export function tried<T>(place: Place, make: () => T, skipped = 0): T | undefined {
  return triedBelow(place, make, issue => {
    const path = optionPathText(issue.path.slice(skipped))
    place.add({ problem: path === '' ? issueText(issue) : `${path}: ${issueText(issue)}` })
  })
}

/** The same of options that stand here under the names that the code has for them: each has its faults where it stands. */
export function triedOptions<T>(place: Place, make: () => T, skipped = 0): T | undefined {
  return triedBelow(place, make, issue => {
    addIssue(
      issue.path.slice(skipped).reduce<Place>((at, step) => at.at(step), place),
      issue,
    )
  })
}

/** Adds an issue where it stands. */
export function addIssue(place: Place, { received, expected, suggestion }: ConfigurationIssue): void {
  const mend = suggestion === undefined ? undefined : `Did you mean '${suggestion}'?`
  place.add({ got: received, expected, mend })
}

function triedBelow<T>(place: Place, make: () => T, add: (issue: ConfigurationIssue) => void): T | undefined {
  try {
    return make()
  } catch (error) {
    if (ConfigurationError.is(error)) {
      for (const issue of error.issues) add(issue)
      return undefined
    }
    if (!(error instanceof TypeError || error instanceof RangeError)) throw error
    return place.add({ problem: error.message })
  }
}
