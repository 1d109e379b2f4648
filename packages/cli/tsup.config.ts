import { defineConfig } from 'tsup'
import { shared } from '../../tsup.config.ts'

export default defineConfig({ ...shared, platform: 'node', entry: ['src/index.ts', 'src/bin.ts'] })
