// How well the tests hold the code: each change that Stryker makes to it should be noticed by one of them.
// `pnpm mutate` runs all of it, `MUTATE=stages pnpm mutate` one part (stages, protocol or decoders), and
// `MUTATE=stages pnpm mutate --mutate packages/core/src/upstream/call.ts` one file of a part.

const core = 'packages/core/src'
const providers = 'packages/providers/src'

/** What is changed, by part. */
const parts = {
  stages: [
    `${core}/auth/{authenticate,authorize}.ts`,
    `${core}/validation/{capable-targets,read}.ts`,
    `${core}/routing/route.ts`,
    `${core}/rate-limiting/{limit,load-shedding}.ts`,
    `${core}/caching/{idempotency,response-cache}.ts`,
    `${core}/upstream/call.ts`,
    `${core}/normalization/*.ts`,
    `${core}/dialects/chat/{respond,validate}.ts`,
    `${core}/gateway/request-accounting.ts`,
  ],
  protocol: [
    `${core}/protocol/*.ts`,
    `${core}/validation/{check-fields,container-schemas,scalar-schemas,fast-schema,validation-error,settings-schema,strict-schema}.ts`,
    `${core}/dialects/chat/{answer-schemas,chunk-writer,completion-text,live-rules,message-schema,schema}.ts`,
  ],
  decoders: [
    `${providers}/wire/*.ts`,
    `${providers}/chat-completions/{chunk-,finish-,partial-}*.ts`,
    `${providers}/anthropic/{answer-parts,citations,completion-of,decode,message-events,refusals,usage}.ts`,
    `${providers}/claude/{finish-reason,response-parts}.ts`,
    `${providers}/bedrock/{answer-parts,citations,completion-of,converse-events,crc32,decode,event-stream,failures,frame-headers,frame-reader,response-fields}.ts`,
    `${providers}/gemini/{call-reader,candidate-reader,decode,google-refusal,partial-arguments,response-reader,source-annotations,usage-metadata,utf16-offsets}.ts`,
  ],
}

const name = process.env.MUTATE
const part = name === undefined ? undefined : parts[name]
if (name !== undefined && part === undefined) {
  throw new Error(`MUTATE: got ${name}, expected one of ${Object.keys(parts).join(', ')}`)
}

export default {
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  // What covers a change is known from the first run: to find it anew for each of them takes longer than the tests.
  vitest: { configFile: 'vitest.mutate.config.ts', related: false },
  coverageAnalysis: 'perTest',
  mutate: [...(part ?? Object.values(parts).flat()), '!**/*.test.ts'],
  // `coverage` is what neither git nor any check looks at.
  tempDirName: 'coverage/stryker',
  ignorePatterns: ['dist', 'docs', 'bench', 'coverage', '*.log'],
  reporters: ['clear-text', 'progress-append-only', 'json'],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  jsonReporter: { fileName: 'coverage/mutation.json' },
  concurrency: 2,
  // A busy machine must not pass for a change that was noticed.
  timeoutMS: 30_000,
  disableTypeChecks: false,
  thresholds: { high: 90, low: 80, break: 80 },
}
