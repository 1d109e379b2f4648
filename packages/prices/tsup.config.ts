import { defineConfig } from 'tsup'
import { shared } from '../../tsup.config.ts'

// A source map would repeat the table, and double the size of the package.
export default defineConfig({ ...shared, entry: ['src/index.ts'], sourcemap: false })
