import { defaultServerConditions } from 'vite'
import { defineConfig } from 'vitest/config'
import { pageForTests } from './packages/console/built-page.ts'

// `module` is for bundlers: some packages have files under it that Node cannot load.
const nodeConditions = defaultServerConditions.filter(condition => condition !== 'module')

export default defineConfig({
  // Tests run on the sources: no build first, but for the page of the console, which is made when a test asks for it.
  plugins: [pageForTests()],
  ssr: { resolve: { conditions: ['@sluice/source', ...nodeConditions] } },
  test: {
    include: ['packages/*/{src,test}/**/*.test.ts', 'test/**/*.test.ts', 'examples/*/*.test.ts'],
    setupFiles: ['test/no-warnings.ts'],
    // Providers read keys from the environment: those of whoever runs the tests must not decide them.
    env: Object.fromEntries(
      Object.keys(process.env)
        .filter(name => /_API_KEY$|^AWS_/.test(name))
        .map(name => [name, '']),
    ),
    // Many tests wait for sockets: a core that is kept free for others would only be idle.
    maxWorkers: '100%',
    testTimeout: 20_000,
  },
})
