import type { KeyRows } from '@sluice/core'
import type { ConformanceCase } from './conformance-case.ts'
import { keyChanges } from './key-store/changes.ts'
import { keyDeletions } from './key-store/deletions.ts'
import { keyIssues } from './key-store/issues.ts'
import { keyRotations } from './key-store/rotations.ts'
import { keyUses } from './key-store/uses.ts'

/** What every `KeyRows` does, in any database, seen through the `keyStore` that stands on it. */
export const keyStoreConformance: readonly ConformanceCase<KeyRows>[] = [
  ...keyIssues,
  ...keyChanges,
  ...keyRotations,
  ...keyDeletions,
  ...keyUses,
]
