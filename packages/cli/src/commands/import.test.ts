import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { parse } from 'yaml'
import { CommandError, type Values } from '../command.ts'
import { importCommand } from './import.ts'

const quickStart = `
model_list:
  - model_name: gpt
    litellm_params: { model: openai/gpt-4o, api_key: os.environ/OPENAI_API_KEY }
general_settings: { master_key: os.environ/MASTER_KEY }
`

/** Runs the command in a folder with one file. */
async function run(text: string, { args = ['litellm', 'config.yaml'], values = {} as Values } = {}) {
  const cwd = mkdtempSync(join(tmpdir(), 'sluice-import-'))
  onTestFinished(() => rmSync(cwd, { recursive: true }))
  writeFileSync(join(cwd, 'config.yaml'), text)
  const [printed, logged]: [string[], string[]] = [[], []]
  const ended = await importCommand
    .run(values, args, {
      cwd,
      env: {},
      print: line => printed.push(line),
      log: line => logged.push(line),
      platform: 'linux',
      terminal: false,
      colours: false,
      signal: new AbortController().signal,
      now: Date.now,
      openUrl: async () => {},
      onLine: undefined,
      networkAddresses: () => [],
    })
    .then(
      code => ({ code }),
      (fault: unknown) => ({ fault: fault as CommandError }),
    )
  return { ...ended, cwd, printed: printed.join('\n'), logged: logged.join('\n') }
}

it('prints YAML and ends with 0 where all was carried', async () => {
  const { printed, logged, ...ended } = await run(quickStart)
  expect(ended).toMatchObject({ code: 0 })
  expect(parse(printed)).toMatchObject({ models: { gpt: 'openai/gpt-4o' } })
  expect(logged).not.toContain('No equivalent')
})

it('ends with 3, and tells what has no equivalent, where something has none', async () => {
  const { printed, logged, ...ended } = await run(`${quickStart}guardrails: [{ guardrail_name: pii }]\n`)
  expect(ended).toMatchObject({ code: 3 })
  expect(logged).toContain('guardrails\n')
  expect(parse(printed)).toMatchObject({ models: { gpt: 'openai/gpt-4o' } })
})

it.each([
  [{ format: 'json' }, /^\{\n {2}"providers"/],
  [{ format: 'ts' }, /^import \{ defineConfig \} from 'sluice'/],
])('prints %o as asked', async (values, pattern) => {
  expect((await run(quickStart, { values })).printed).toMatch(pattern)
})

it('writes a file in the format of its name, and none over another one', async () => {
  const { cwd, printed } = await run(quickStart, { values: { output: 'sluice.config.ts' } })
  expect(printed).toBe('')
  expect(readFileSync(join(cwd, 'sluice.config.ts'), 'utf8')).toContain('export default defineConfig({')
  const again = await run(quickStart, { values: { output: 'config.yaml' } })
  expect(again).toMatchObject({
    fault: { exitCode: 1, message: expect.stringContaining('already exists') },
  })
  expect(readFileSync(join(again.cwd, 'config.yaml'), 'utf8')).toBe(quickStart)
})

it.each([
  [['litellm'], 2, 'sluice import litellm FILE'],
  [['openrouter', 'config.yaml'], 2, 'sluice import portkey FILE'],
  [['litellm', 'config.yaml', 'more'], 2, 'sluice import litellm FILE'],
  [['litellm', 'gone.yaml'], 1, 'Cannot read gone.yaml: ENOENT'],
])('refuses %o', async (args, exitCode, message) => {
  const { fault } = (await run(quickStart, { args })) as { fault?: CommandError }
  expect(fault).toBeInstanceOf(CommandError)
  expect(fault).toMatchObject({ exitCode, message: expect.stringContaining(message) })
})

it('refuses a format that it does not know', async () => {
  const ended = await run(quickStart, { values: { format: 'toml' } })
  expect(ended).toMatchObject({ fault: { exitCode: 2, message: expect.stringContaining("got 'toml'") } })
})

it.each([
  ['model_list: [{ api_key: sk-canary', /line \d+, column \d+/],
  ['a: 1\na: sk-canary', /DUPLICATE_KEY/],
  ['- sk-canary', /is not an object/],
  ['a: *sk-canary', /aliases|ALIAS/],
])('says where %j is broken, and shows nothing of it', async (text, pattern) => {
  const { fault } = (await run(text)) as { fault?: CommandError }
  expect(fault).toBeInstanceOf(CommandError)
  expect(fault!.message).toMatch(pattern)
  expect(fault!.message).not.toContain('canary')
})

it('ends with 1 where no model could be carried, and still tells why', async () => {
  const { fault, printed, logged } = (await run(
    'model_list: [{ model_name: a, litellm_params: { model: nobody/a } }]',
  )) as {
    fault?: CommandError
    printed: string
    logged: string
  }
  expect(fault).toMatchObject({ exitCode: 1 })
  expect(printed).toBe('')
  expect(logged).toContain('model_list[0]')
})
