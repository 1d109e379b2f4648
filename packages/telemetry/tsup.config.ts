import { defineConfig } from 'tsup'
import { entries, shared } from '../../tsup.config.ts'

export default defineConfig({
  ...shared,
  ...entries('src/index.ts', 'src/opentelemetry.ts', 'src/prometheus.ts'),
})
