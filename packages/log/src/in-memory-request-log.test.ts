import { requestLogConformance } from '@sluice/testing/conformance'
import { describe, it } from 'vitest'
import { inMemoryRequestLog } from './in-memory-request-log.ts'

describe('inMemoryRequestLog', () => {
  it.each(requestLogConformance)('$name', ({ run }) => run(async () => inMemoryRequestLog()))
})
