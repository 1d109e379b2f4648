import type { RequestLogRepository } from '@sluice/core/store'
import type { ConformanceCase } from './conformance-case.ts'
import { requestLogDeletions } from './request-log/deletions.ts'
import { requestLogFilters } from './request-log/filters.ts'
import { requestLogPages } from './request-log/pages.ts'

/**
 * Tests a `RequestLogRepository`, in any test runner.
 *
 * @example
 * for (const { name, run } of requestLogConformance) it(name, () => run(async () => emptyRepository()))
 */
export const requestLogConformance: readonly ConformanceCase<RequestLogRepository>[] = [
  ...requestLogPages,
  ...requestLogFilters,
  ...requestLogDeletions,
]
