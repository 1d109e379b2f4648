import { defineConfig } from 'tsup'
import { shared } from '../../tsup.config.ts'

export default defineConfig({
  ...shared,
  // The transports are reached by the package's own `#transport`, so that the runtime chooses; they are not public.
  entry: ['src/index.ts', 'src/transports/fetch.ts', 'src/transports/undici.ts'],
  external: ['#transport'],
  dts: { ...shared.dts, entry: 'src/index.ts' },
})
