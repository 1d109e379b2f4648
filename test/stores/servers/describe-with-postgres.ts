import { describe } from 'vitest'
import { postgresBin } from './postgres-server.ts'

/** Tests that need PostgreSQL: left out, and said so, where there is none. In CI they fail then. */
export const describeWithPostgres = describe.runIf(postgresBin !== undefined || process.env.CI)
if (postgresBin === undefined) console.warn('PostgreSQL is not installed: its tests are left out.')
