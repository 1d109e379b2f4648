import { requestLogConformance } from '@sluice/testing/conformance'
import { describe, it, onTestFinished } from 'vitest'
import { migratedConnections } from './migrated-connections.ts'
import { sqliteRequestLogRepository } from './request-log-repository.ts'

for (const [name, open] of Object.entries(migratedConnections(onTestFinished))) {
  describe(`sqliteRequestLogRepository in ${name}`, () => {
    it.each(requestLogConformance)('$name', ({ run }) =>
      run(async () => sqliteRequestLogRepository(await open())),
    )
  })
}
