import { defineConfig } from 'tsup'
import { shared } from '../../tsup.config.ts'

export default defineConfig({ ...shared, entry: ['src/index.ts', 'src/conformance.ts', 'src/simulation.ts'] })
