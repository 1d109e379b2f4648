import type { KeyRepository } from '@sluice/core/keys'
import type { ConformanceCase } from './conformance-case.ts'
import { keyChanges } from './key-changes.ts'
import { keyDeletions } from './key-deletions.ts'
import { keyIssues } from './key-issues.ts'
import { keyRotations } from './key-rotations.ts'
import { keyUses } from './key-uses.ts'

/** What every `KeyRows` does, in any database, seen through the `keyStore` that stands on it. */
export const keyStoreConformance: readonly ConformanceCase<KeyRepository>[] = [
  ...keyIssues,
  ...keyChanges,
  ...keyRotations,
  ...keyDeletions,
  ...keyUses,
]
