import { bodyLogConformance } from '@sluice/testing/conformance'
import { describe, it, onTestFinished } from 'vitest'
import { sqliteBodyLogRepository } from './body-log-repository.ts'
import { migratedConnections } from './migrated-connections.ts'

for (const [name, open] of Object.entries(migratedConnections(onTestFinished))) {
  describe(`sqliteBodyLogRepository in ${name}`, () => {
    it.each(bodyLogConformance)('$name', ({ run }) => run(async () => sqliteBodyLogRepository(await open())))
  })
}
