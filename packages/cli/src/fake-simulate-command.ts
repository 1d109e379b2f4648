import { fakeCommandContext } from './fake-command-context.ts'
import { main } from './main.ts'
import { temporaryFolder } from './temporary-folder.ts'

export const config = `
providers:
  openai: { apiKey: '\${OPENAI_API_KEY}' }
  anthropic: {}
models:
  smart: [openai/gpt-4o, anthropic/claude-sonnet-4-5]
  small: openai/gpt-4o-mini
keys:
  - { id: app, key: '\${APP_KEY}' }
  - { id: batch, key: '\${BATCH_KEY}', limits: [{ kind: requests, limit: 10, per: minute }] }
`
export const traffic = `
duration: 2m
clients:
  - { name: app, rate: 1, keys: [app], models: [smart, { model: small, weight: 2 }], retries: { max: 1 } }
  - { name: batch, rate: 1, keys: [{ id: batch, weight: 2 }], models: [smart], streamed: 0 }
`

/** Runs `sluice simulate` in a folder with a configuration, traffic and these files. */
export async function runSimulate(argv: readonly string[], files: Readonly<Record<string, string>> = {}) {
  const cwd = temporaryFolder({ 'sluice.config.yaml': config, 'traffic.yaml': traffic, ...files })
  const { context, printed, logged } = fakeCommandContext({ cwd })
  const code = await main(['simulate', ...argv], context)
  return { code, printed: printed(), logged: logged() }
}

/** The JSON that it prints. */
export const simulatedData = async (argv: readonly string[], files?: Readonly<Record<string, string>>) => {
  const { printed, logged } = await runSimulate([...argv, '--json'], files)
  if (printed === '') throw new Error(logged)
  return JSON.parse(printed)
}
