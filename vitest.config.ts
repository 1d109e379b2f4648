import { availableParallelism } from 'node:os'
import { defaultServerConditions } from 'vite'
import { defineConfig } from 'vitest/config'
import { pageForTests } from './packages/console/built-page.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Whether a `*.sampled.test.ts` tries all that it knows, and not a sample of it. */
    exhaustive: boolean
  }
}

// `module` is for bundlers: some packages have files under it that Node cannot load.
const nodeConditions = defaultServerConditions.filter(condition => condition !== 'module')

const everything = ['packages/**/*.test.ts', 'test/**/*.test.ts', 'examples/*/*.test.ts']
/** Files that take long and are left out of the quick run. */
const long = '**/*.all.test.ts'
/** Files that try a sample in the quick run, and everything in the others: `inject('exhaustive')` tells them. */
const sampled = '**/*.sampled.test.ts'
/** Files that replace modules or globals for good. Each has a process of its own; the others share theirs. */
const alone = '**/*.alone.test.ts'

/** What each run takes, by vitest's `--mode`. */
const runs: Readonly<Record<string, { readonly include: string[]; readonly exclude: string[] }>> = {
  /** `pnpm test`: quick. */
  test: { include: everything, exclude: [long] },
  /** `pnpm test:all`. */
  all: { include: everything, exclude: [] },
  /** `pnpm test:rest`: what `pnpm test` left out. */
  rest: { include: [long, sampled], exclude: [] },
}

export default defineConfig(({ mode }) => {
  const { include, exclude } = runs[mode] ?? runs.test!
  const ignored = ['**/node_modules/**', '**/dist/**', ...exclude]
  return {
    // Tests run on the sources: no build first, but for the page of the console, which is made when a test asks for it.
    plugins: [pageForTests()],
    ssr: { resolve: { conditions: ['@sluice/source', ...nodeConditions] } },
    test: {
      pool: 'forks',
      // Many tests wait for sockets and timers: with a worker for each core, the cores would be idle most of the time.
      maxWorkers: 3 * availableParallelism(),
      testTimeout: 20_000,
      setupFiles: ['test/no-warnings.ts'],
      // Providers read keys from the environment: those of whoever runs the tests must not decide them.
      env: Object.fromEntries(
        Object.keys(process.env)
          .filter(name => /_API_KEY$|^AWS_/.test(name))
          .map(name => [name, '']),
      ),
      provide: { exhaustive: mode !== 'test' },
      projects: [
        // To load the modules anew for each file costs more than to run most of them.
        { extends: true, test: { name: 'shared', isolate: false, include, exclude: [...ignored, alone] } },
        { extends: true, test: { name: 'alone', include: mode === 'rest' ? [] : [alone], exclude: ignored } },
      ],
    },
  }
})
