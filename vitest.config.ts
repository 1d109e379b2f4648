import { availableParallelism } from 'node:os'
import { defaultServerConditions } from 'vite'
import { defineConfig } from 'vitest/config'
import { BaseSequencer } from 'vitest/node'
import { pageForTests } from './packages/console/built-page.ts'

type Server = 'node http' | 'express 5'

declare module 'vitest' {
  interface ProvidedContext {
    /** Whether a `*.sampled.test.ts` tries all that it knows, and not a sample of it. */
    exhaustive: boolean
    /** The servers that tests are repeated over. */
    servers: readonly Server[]
  }
}

interface TestRun {
  readonly include: readonly string[]
  readonly exclude: readonly string[]
  readonly exhaustive: boolean
  readonly servers: readonly Server[]
  /** Whether files that take long run. */
  readonly long: boolean
}

// `module` is for bundlers: some packages have files under it that Node cannot load.
const nodeConditions = defaultServerConditions.filter(condition => condition !== 'module')

const everyServer: readonly Server[] = ['node http', 'express 5']
const everything = ['packages/**/*.test.ts', 'test/**/*.test.ts', 'examples/*/*.test.ts']
/** Files that take long. */
const long = '**/*.all.test.ts'
/** Files that try a sample with the quick tests, and everything else with the others: `inject('exhaustive')` tells them. */
const sampled = '**/*.sampled.test.ts'
/** Tests that are repeated over several servers. */
const overServers = [
  'test/resilience/faults/*.test.ts',
  'test/e2e/conformance/**/*.test.ts',
  'test/e2e/mounts/clients.test.ts',
  'test/e2e/clients/{anthropic,ai-sdk-anthropic,langchain-anthropic}.test.ts',
  'test/e2e/clients/{openai,ai-sdk,langchain}-responses.test.ts',
  'test/e2e/clients/openai-agents.test.ts',
]
/** Files that replace modules or count all timers of their process. Each has a process of its own; the others share theirs. */
const alone = '**/*.alone.test.ts'
/** Files that measure times in milliseconds: nothing runs beside them. */
const timed = '**/*.timed.test.ts'
const timedOverNoServers = '{packages,test/stores}/**/*.timed.test.ts'

/** What each run takes, by vitest's `--mode`. */
const runs: Readonly<Record<string, TestRun>> = {
  /** `pnpm test`: quick. */
  test: { include: everything, exclude: [], exhaustive: false, servers: ['node http'], long: false },
  /** `pnpm test:agents`: coding agents as they are published. They are no `*.test.ts`, so no other run takes them. */
  agents: {
    include: ['test/agents/*.agent.ts'],
    exclude: [],
    exhaustive: true,
    servers: ['node http'],
    long: false,
  },
  /** `pnpm test:first-hour`: the packed packages, from the first command to production. */
  'first-hour': {
    include: ['test/first-hour/*.walk.ts'],
    exclude: [],
    exhaustive: true,
    servers: ['node http'],
    long: false,
  },
  /** `pnpm test:all`. */
  all: { include: everything, exclude: [], exhaustive: true, servers: everyServer, long: true },
  /** `pnpm test:rest`: what `pnpm test` leaves out. */
  rest: {
    include: [sampled, long, ...overServers],
    exclude: [alone, timedOverNoServers],
    exhaustive: true,
    servers: ['express 5'],
    long: true,
  },
}

/** What takes longest comes first, whatever the size of its file: at the end no core waits for it. */
class LongestFirst extends BaseSequencer {
  override async sort(files: Parameters<BaseSequencer['sort']>[0]) {
    const sorted = await super.sort(files)
    const takesLong = ({ moduleId }: (typeof sorted)[number]) => /\.(?:all|sampled)\.test\.ts$/.test(moduleId)
    // In the order of their projects.
    return [...new Set(sorted.map(({ project }) => project))].flatMap(project => {
      const own = sorted.filter(file => file.project === project)
      return [...own.filter(takesLong), ...own.filter(file => !takesLong(file))]
    })
  }
}

export default defineConfig(({ mode }) => {
  const { include, exclude, exhaustive, servers, long: takesLong } = runs[mode] ?? runs.test!
  const ignored = ['**/node_modules/**', '**/dist/**', ...exclude]
  // Each project has them by itself: what it extends is resolved again, for the mode `test`.
  const ofRun = {
    provide: { exhaustive, servers: [...servers] },
    // Only a test that hangs takes so long: machines that are shared have taken 12 s to start PostgreSQL, and 100 s for what
    // takes 15 on a quiet one. Set here and not where it is started: files share their modules, so that `vi.setConfig` in one
    // that others import would hold for the first of them only.
    testTimeout: 180_000,
    hookTimeout: 120_000,
  }
  return {
    // Tests run on the sources: no build first, but for the page of the console, which is made when a test asks for it.
    plugins: [pageForTests()],
    ssr: { resolve: { conditions: ['@sluice/source', ...nodeConditions] } },
    test: {
      pool: 'forks',
      // Many tests wait for sockets and timers: with a worker for each core, the cores would be idle most of the time.
      maxWorkers: 3 * availableParallelism(),
      // What happens later than after the usual second on a busy machine has happened too.
      expect: { poll: { timeout: 30_000 } },
      // A test that needs its second run is printed with "(retry x1)", and is a defect to mend.
      retry: process.env.CI ? 1 : 0,
      setupFiles: ['test/no-warnings.ts'],
      sequence: { sequencer: LongestFirst },
      env: {
        // Providers read keys from the environment: those of whoever runs the tests must not decide them.
        ...Object.fromEntries(
          Object.keys(process.env)
            .filter(name => /_API_KEY$|^AWS_/.test(name))
            .map(name => [name, '']),
        ),
        // A name that nobody answers for holds one of Node's few threads for long: other files wait for them too.
        UV_THREADPOOL_SIZE: '16',
      },
      unstubEnvs: true,
      unstubGlobals: true,
      projects: [
        // To load the modules anew for each file costs more than to run most of them.
        {
          extends: true,
          test: {
            name: 'shared',
            isolate: false,
            ...ofRun,
            include: [...include],
            exclude: [...ignored, alone, timed, ...(takesLong ? [] : [long])],
          },
        },
        { extends: true, test: { name: 'alone', ...ofRun, include: [alone], exclude: ignored } },
        {
          extends: true,
          test: {
            name: 'timed',
            isolate: false,
            ...ofRun,
            include: [timed],
            exclude: ignored,
            maxWorkers: 1,
            sequence: { groupOrder: 1 },
          },
        },
      ],
    },
  }
})
