import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startService } from 'sluice'
import { expect, it } from 'vitest'
import { commandTable } from '../../packages/cli/src/command-line/command-table.ts'
import { fakeCommandContext } from '../../packages/cli/src/fake-command-context.ts'
import { main } from '../../packages/cli/src/main.ts'
import { asking, runningDev } from '../e2e/cli/running-dev.ts'
import { type Check, describePage } from './runner/describe-page.ts'
import { root, tableUnder } from './runner/markdown.ts'
import { temporaryFolder } from './runner/temporary-folder.ts'

/** The words of each line, as a shell gives them to `npx`. */
function linesOf(code: string): string[][] {
  const script = `npx() { for word; do printf '%s\\0' "$word"; done; printf '\\n'; }\n${code}`
  const printed = execFileSync('sh', ['-c', script], { encoding: 'utf8' })
  return printed
    .trimEnd()
    .split('\n')
    .map(line => line.split('\0').slice(0, -1))
}

async function run(argv: readonly string[], cwd: string) {
  const { context: world, printed, logged: told } = fakeCommandContext({ cwd })
  return { code: await main(argv, world), printed: printed(), told: told() }
}

/** Runs each line of a snippet in one folder, beside a gateway that has answered there. */
const besideDev =
  (last: RegExp): Check =>
  async ({ code }) => {
    const dev = await runningDev()
    expect((await asking(dev, 'o1')).status).toBe(200)
    let printed = ''
    for (const [program, ...argv] of linesOf(code)) {
      expect(program).toBe('sluice')
      const got = await run(argv, dev.context.cwd)
      expect(got, got.told).toMatchObject({ code: 0 })
      printed = got.printed
    }
    expect(printed).toMatch(last)
  }

/** The id of a request whose bodies are stored by the configuration of a folder. */
async function storedRequest(cwd: string): Promise<string> {
  const config = {
    server: { port: 0 },
    providers: { local: {} },
    models: { demo: 'local/demo' },
    keys: [{ id: 'me', key: 'sk-test' }],
    telemetry: { log: 'off' as const },
    state: { database: 'file:./sluice.db' },
    log: {
      store: 'database' as const,
      bodies: { key: randomBytes(32).toString('base64'), retentionDays: 1 },
    },
  }
  writeFileSync(join(cwd, 'sluice.config.json'), JSON.stringify(config))
  const silent = { print: () => {}, log: () => {}, terminal: false, colours: false, now: Date.now }
  const service = await startService(config, { env: {}, cwd, ...silent })
  try {
    const response = await fetch(`${service.baseURL}/chat/completions`, {
      method: 'POST',
      headers: { authorization: 'Bearer sk-test', 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'demo', messages: [{ role: 'user', content: 'Hello!' }] }),
    })
    await response.text()
    return response.headers.get('x-request-id')!
  } finally {
    await service.close()
  }
}

/** One that serves runs until it is told to end. */
const startsDev: Check = async ({ code }) => {
  expect(linesOf(code)).toEqual([['sluice', 'dev']])
  expect((await asking(await runningDev(), 'o1')).status).toBe(200)
}

describePage('docs/command-line.md', {
  env: async ({ code }) => {
    const cwd = temporaryFolder()
    writeFileSync(join(cwd, '.env'), execFileSync('sh', ['-c', code.split(' >>')[0]!]))
    const dev = await runningDev({ cwd })
    expect(dev.printed()).toContain('OpenAI: models openai/..., with OPENAI_API_KEY.')
  },
  completions: async ({ code }) => {
    for (const line of code.trim().split('\n')) {
      const [, ...argv] = line.split(' >')[0]!.split(' ')
      expect(await run(argv, temporaryFolder())).toMatchObject({ code: 0, told: '' })
    }
  },
  first: startsDev,
  init: async ({ code }) => {
    const cwd = temporaryFolder()
    for (const [, ...argv] of linesOf(code)) expect(await run(argv, cwd)).toMatchObject({ code: 0 })
    expect(readdirSync(cwd)).toEqual(['sluice.config.ts'])
  },
  doctor: async ({ code }) => {
    const cwd = temporaryFolder()
    writeFileSync(
      join(cwd, 'sluice.config.json'),
      JSON.stringify({
        server: { port: 0 },
        providers: { local: {} },
        models: { demo: 'local/demo' },
        keys: [{ id: 'me', key: `\${KEY:-sk-test-0123456789}` }],
      }),
      { mode: 0o600 },
    )
    for (const [, ...argv] of linesOf(code)) {
      const got = await run(argv, cwd)
      expect(got).toMatchObject({ code: 0, printed: expect.stringContaining('Node.js') })
    }
  },
  explain: async ({ code }) => {
    const cwd = temporaryFolder()
    let key = ''
    for (const [index] of linesOf(code).entries()) {
      const [, ...argv] = linesOf(`KEY=${key}\n${code}`)[index] ?? []
      const got = await run(argv, cwd)
      expect(got, got.told).toMatchObject({ code: 0 })
      if (argv[0] === 'keys') key = got.printed.trim()
      if (argv[0] === 'explain') expect(got.printed).toContain('local')
    }
  },
  simulate: async ({ code }) => {
    const cwd = temporaryFolder()
    cpSync(join(root, 'docs/simulation'), cwd, { recursive: true })
    const traffic = join(cwd, 'traffic.yaml')
    writeFileSync(traffic, readFileSync(traffic, 'utf8').replaceAll(/rate: \d/g, 'rate: 0.2'))
    for (const [, ...argv] of linesOf(code)) {
      const got = await run(argv, cwd)
      expect(got, got.told).toMatchObject({ code: 0, printed: expect.stringMatching(/^requests +\d+$/m) })
    }
  },
  keys: besideDev(/Ann's notebook +until /),
  usage: besideDev(/^day,tag:team,requests,/),
  logs: besideDev(/^id,clientRequestId,at,/),
  replay: async ({ code }) => {
    const cwd = temporaryFolder()
    const id = await storedRequest(cwd)
    for (const [, ...argv] of linesOf(code.replaceAll('req_0123456789abcdef', id))) {
      const got = await run(argv, cwd)
      expect(got, got.told).toMatchObject({ code: 0 })
      expect(got.printed).toContain('local/demo')
    }
  },
})

describePage('packages/cli/README.md', {
  commands: async ({ code }) => {
    const dev = await runningDev()
    const [first, ...lines] = linesOf(code)
    expect(first).toEqual(['sluice', 'dev'])
    for (const [, ...argv] of lines.filter(([, name]) => name !== 'init' && name !== 'doctor'))
      expect(await run(argv, dev.context.cwd)).toMatchObject({ code: 0 })
    expect(await run(['init'], temporaryFolder())).toMatchObject({ code: 0 })
    expect(await run(['doctor'], temporaryFolder())).toMatchObject({ code: 0 })
  },
})

it.each([
  ['dev', 'sluice dev'],
  ['init', 'sluice init'],
  ['serve', 'sluice serve'],
  ['check', 'sluice check'],
  ['doctor', 'sluice doctor'],
  ['explain', 'sluice explain'],
  ['simulate', 'sluice simulate'],
  ['keys create', 'sluice keys'],
  ['usage', 'sluice usage'],
  ['logs', 'sluice logs'],
  ['replay', 'sluice replay'],
  ['import', 'sluice import'],
])('names every option of %s', async (name, heading) => {
  const command = await commandTable.find(entry => entry.name === name)!.load()
  const named = tableUnder('docs/command-line.md', `## ${heading}`).flatMap(
    ([option = '']) => option.match(/(?<=--)[a-z-]+/g) ?? [],
  )
  expect(named.sort()).toEqual(Object.keys(command.options).sort())
})
