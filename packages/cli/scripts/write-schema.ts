import { writeFileSync } from 'node:fs'
import { configSchema } from '../src/config/config-schema.ts'

// Run by `pnpm schema`; a test says where it has to be.
writeFileSync(new URL('../schema.json', import.meta.url), `${JSON.stringify(configSchema(), null, 2)}\n`)
