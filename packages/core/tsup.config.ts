import { defineConfig, type Options } from 'tsup'
import { entries, shared } from '../../tsup.config.ts'

/** The public entries, as in the `exports` of package.json. */
const published = [
  'index',
  'routing',
  'limits',
  'keys',
  'ledger',
  'provider',
  'dialect',
  'store',
  'adapter',
  'openapi',
].map(name => `src/${name}.ts`)

const core: Options = {
  ...shared,
  // The transports are reached by the package's own `#transport`, so that the runtime chooses; they are not public.
  ...entries(...published),
  entry: [...published, 'src/transports/fetch.ts', 'src/transports/undici.ts'],
  external: ['#transport'],
  // Two builds write to one folder: `scripts/build.mjs` empties it before.
  clean: false,
}

export default defineConfig([
  { ...core, format: ['esm'] },
  // These are published as ES modules only. Node 20.19 can `require` them; Jest, and bundlers of CommonJS, can not.
  { ...core, format: ['cjs'], noExternal: ['p-limit', /^@noble\/hashes/] },
])
