import { defaultServerConditions } from 'vite'
import { defineConfig } from 'vitest/config'

const coreTests = ['packages/core/{src,test}/**/*.test.ts']
const { MUTATE: part } = process.env

/** The tests that Stryker runs for each change: those beside the code, which need no sockets and few seconds. */
export default defineConfig({
  ssr: { resolve: { conditions: ['@sluice/source', ...defaultServerConditions] } },
  test: {
    // Changed code is slower, and the machine may be busy.
    testTimeout: 60_000,
    include: [
      ...(part === 'decoders' ? [] : coreTests),
      ...(part === 'stages' || part === 'protocol' ? [] : ['packages/providers/src/**/*.test.ts']),
    ],
    // Slow ones, and those of what is not changed.
    exclude: [
      'packages/core/src/upstream/deadlines.test.ts',
      'packages/core/src/dialects/chat/validate-hostile.test.ts',
      'packages/providers/src/local/**',
    ],
  },
})
