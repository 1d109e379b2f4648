import type { KeyRepository } from '@sluice/core/keys'
import type { ConformanceCase } from './conformance-case.ts'
import { keyChanges } from './key-store/changes.ts'
import { keyDeletions } from './key-store/deletions.ts'
import { keyIssues } from './key-store/issues.ts'
import { keyRotations } from './key-store/rotations.ts'
import { keyUses } from './key-store/uses.ts'

/**
 * Tests a `KeyRepository`, through the `keyStore` that uses it, in any test runner.
 *
 * @example
 * for (const { name, run } of keyStoreConformance) it(name, () => run(async () => emptyRows()))
 */
export const keyStoreConformance: readonly ConformanceCase<KeyRepository>[] = [
  ...keyIssues,
  ...keyChanges,
  ...keyRotations,
  ...keyDeletions,
  ...keyUses,
]
