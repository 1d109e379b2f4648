import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { agentPath, type Run, runAgent, workFolder } from '../agents/run-agent.ts'
import { restartBehindNginx, type StartSluice, streams } from '../deploy/rolling-restart.ts'
import { ask } from '../docs/runner/ask.ts'
import { fencesOf } from '../docs/runner/markdown.ts'
import { shell } from '../docs/runner/shell.ts'
import { type SluiceProcess, startProcess } from '../e2e/cli/start-process.ts'
import { chromiumPath, startChromium } from '../e2e/console/site/chromium.ts'
import { goTo } from '../e2e/console/site/go-to.ts'
import { nginxPath } from '../resilience/faults/harness/nginx.ts'

/** A folder with the packed packages, Express, tsx and the OpenAI SDK, and with nothing of the repository. */
const app = process.env.FIRST_HOUR_APP!
const bin = (name: string) => join(app, 'node_modules', '.bin', name)
const patience = { timeout: 120_000 }

/** The code of a snippet, as the page prints it. */
function printed(page: string, name: string): string {
  const fence = fencesOf(page).find(fence => fence.name === name)
  if (fence === undefined) throw new Error(`${page} has no snippet '${name}'`)
  return fence.code
}

/** Replaces what a page says is to be replaced by what is one's own. */
function withOwn(code: string, own: Readonly<Record<string, string>>): string {
  return Object.entries(own).reduce((text, [example, value]) => {
    expect(text).toContain(example)
    return text.replaceAll(example, value)
  }, code)
}

/** Runs a file of the folder, as `npx tsx FILE` does. */
function start(file: string, code: string, env: Readonly<Record<string, string>> = {}): SluiceProcess {
  writeFileSync(join(app, file), code)
  // tsx as an import: its command would stand between the process and its signals.
  return startProcess(process.execPath, ['--import', 'tsx', file], { cwd: app, env })
}

/** Starts a server of a page. Resolves to its URL when it takes requests. */
async function serve(...args: Parameters<typeof start>): Promise<string> {
  const server = start(...args)
  void server.exited.then(code => {
    if (code !== null) console.error(server.stderr())
  })
  const url = 'http://localhost:3000'
  await vi.waitFor(() => fetch(url), { timeout: 20_000, interval: 50 })
  onTestFinished(async () => {
    // The next step listens on the same port.
    server.child.kill('SIGKILL')
    await server.exited
  })
  return url
}

const sluice: StartSluice = (args, start) => startProcess(bin('sluice'), args, start)

/** Runs lines of a page that start an agent, in a folder of their own. The name of the agent is in the PATH. */
function agentLines(name: 'claude' | 'codex', lines: string, home = workFolder()): Promise<Run> {
  mkdirSync(join(home, 'bin'), { recursive: true })
  symlinkSync(agentPath(name === 'claude' ? 'AGENT_CLAUDE_CODE' : 'AGENT_CODEX'), join(home, 'bin', name))
  return runAgent({
    command: '/bin/sh',
    args: ['-e', '-c', lines],
    env: {
      PATH: [join(home, 'bin'), process.env.PATH].join(delimiter),
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
    },
    home,
    seconds: 60,
  })
}

const question = 'What is 12 * 7?'

/** Costs about a quarter of the dollar of a plan, where a million tokens are 2.50 dollars. */
const longPrompt = 'word '.repeat(100_000)

/** The lines of docs/claude-code.md, with a URL, a key and models of one's own, and a question. */
function claudeCode(own: { readonly url: string; readonly key: string; readonly model: string }): string {
  const lines = withOwn(printed('docs/claude-code.md', 'claude'), {
    'http://localhost:3000': own.url,
    'sk-ann': own.key,
    'claude-haiku-4-5': own.model,
    'gpt-5.2': own.model,
  })
  return `${lines.trimEnd()} --print '${question}'`
}

const users = 'examples/express-app/server.ts'
const usersApp = () => serve('server.ts', printed('docs/express.md', users))

describe('the first hour', () => {
  it('README.md: the Express app, the curl line, the OpenAI SDK', patience, async () => {
    await serve('minimal.ts', printed('README.md', 'examples/express-app/minimal.ts'))
    expect(await shell(printed('README.md', 'curl'))).toContain('12 * 7 = 84')
    const client = start('client.ts', printed('README.md', 'client'))
    expect(await client.exited).toBe(0)
    expect(client.stdout()).toBe('12 * 7 = 84\n')
  })

  it('docs/quick-start.md: sluice dev, and the curl line that it prints', patience, async () => {
    // npx would stand between the process and its signals.
    expect(printed('docs/quick-start.md', 'dev')).toBe('npx sluice dev\n')
    const dev = sluice(['dev'], { cwd: app })
    await dev.until(/Ctrl\+C/)
    const [curl] = /^curl .*$/m.exec(dev.stdout() + dev.stderr())!
    expect(await shell(`${curl} -sS`)).toContain('12 * 7 = 84')
    dev.child.kill('SIGTERM')
    expect(await dev.exited).toBe(0)
  })

  it('docs/express.md: an Express app whose users are the callers', patience, async () => {
    const url = await usersApp()
    expect(await shell(printed('docs/express.md', 'curl'))).toContain('12 * 7 = 84')
    const base = `${url}/api/ai/v1`
    expect(await ask(base, { key: 'session-of-bob', model: 'fast' })).toMatchObject({ status: 200 })
    expect(await ask(base, { key: 'session-of-bob', model: 'best' })).toMatchObject({ status: 403 })
    expect(await ask(base, { key: 'no-session', model: 'fast' })).toMatchObject({ status: 401 })
    const me = await fetch(`${url}/me`, { headers: { authorization: 'Bearer session-of-ann' } })
    expect(await me.json()).toEqual({ id: 'ann', plan: 'pro' })
  })

  it.skipIf(process.env.AGENT_CLAUDE_CODE === undefined)(
    'docs/claude-code.md: Claude Code through that app, with a session of it',
    patience,
    async () => {
      const url = `${await usersApp()}/api/ai`
      const lines = claudeCode({ url, key: 'session-of-ann', model: 'fast' })
      const { code, stdout, stderr } = await agentLines('claude', lines)
      // The app has no language model. What `local()` answers repeats the beginning of the prompt of Claude Code.
      const answered = expect.stringContaining('not a language model')
      expect({ code, stdout, stderr }).toMatchObject({ code: 0, stdout: answered })
    },
  )

  it.skipIf(process.env.AGENT_CODEX === undefined)(
    'docs/codex.md: Codex through that app, with a session of it',
    patience,
    async () => {
      const url = `${await usersApp()}/api/ai`
      const home = workFolder()
      const toml = fencesOf('docs/codex.md').find(({ language }) => language === 'toml')!.code
      mkdirSync(join(home, '.codex'))
      writeFileSync(
        join(home, '.codex', 'config.toml'),
        `${withOwn(toml, { 'http://localhost:3000': url, 'claude-sonnet-5': 'best' })}
# They call services at OpenAI, which cannot be reached here.
[analytics]
enabled = false

[features]
plugins = false
`,
      )
      const lines = withOwn(printed('docs/codex.md', 'codex'), {
        'sk-ann': 'session-of-ann',
        'gpt-5.5': 'best',
        'codex --model': 'codex exec --skip-git-repo-check --model',
      })
      const { code, stdout, stderr } = await agentLines('codex', `${lines.trimEnd()} '${question}'`, home)
      expect({ code, stdout, stderr }).toMatchObject({ code: 0, stdout: expect.stringContaining('84') })
    },
  )

  it('docs/user-budgets.md: a budget stops a user, and Claude Code with it', patience, async () => {
    const env = { SLUICE_DB: `file:${join(app, 'budgets.db')}` }
    // README.md: a snippet without a server gets such lines.
    const served = `${printed('docs/user-budgets.md', 'plans')}
import { serve } from '@sluice/node'
await serve(gateway, { port: 3000 })
`
    const url = await serve('budgets.ts', served, env)
    const answers = []
    do {
      answers.push(await ask(`${url}/v1`, { key: 'session-of-bob', model: 'large', content: longPrompt }))
    } while (answers.at(-1)!.status === 200 && answers.length < 9)
    expect(answers.length).toBeGreaterThan(1)
    expect(answers.at(-1)).toMatchObject({ status: 429, code: 'insufficient_quota' })
    expect(await ask(`${url}/v1`, { key: 'session-of-ann', model: 'large' })).toMatchObject({ status: 200 })
    if (process.env.AGENT_CLAUDE_CODE !== undefined) {
      const lines = claudeCode({ url, key: 'session-of-bob', model: 'large' })
      const { code, stdout } = await agentLines('claude', lines)
      expect(code).not.toBe(0)
      expect(stdout).toMatch(/quota|budget/i)
    }
    const spent = start('spent.ts', printed('docs/user-budgets.md', 'spent'), env)
    expect(await spent.exited).toBe(0)
    expect(spent.stdout()).toMatch(/^bob \d+ 0\.\d+$/m)
    const usage = sluice(['usage', '--by', 'key', '--from', '30d', '--database', env.SLUICE_DB], { cwd: app })
    expect(await usage.exited).toBe(0)
    expect(usage.stdout()).toContain('bob')
  })

  it('the same budget in a configuration: metrics and the console show it', patience, async () => {
    const folder = join(app, 'service')
    mkdirSync(folder)
    writeFileSync(
      join(folder, 'sluice.config.yaml'),
      `models: { large: local/large }
providers: { local: {} }
keys:
  - { id: bob, key: sk-bob, limits: [{ kind: budget, limit: 1, currency: usd, per: month }] }
prices: { large: { input: 2.5, output: 10 } }
state: { database: 'file:../budgets.db' }
console: { adminKey: admin-key-of-the-walk }
telemetry: { log: 'off' }
`,
    )
    const port = 8787
    const server = sluice(['serve', '--port', String(port)], { cwd: folder })
    void server.exited.then(code => code !== null && console.error(server.stderr()))
    const url = `http://127.0.0.1:${port}`
    await vi.waitFor(() => fetch(url), { timeout: 20_000, interval: 50 })
    let last: Awaited<ReturnType<typeof ask>>
    do last = await ask(`${url}/v1`, { key: 'sk-bob', model: 'large', content: longPrompt })
    while (last.status === 200)
    expect(last).toMatchObject({ status: 429, code: 'insufficient_quota' })
    const metrics = await (await fetch(`${url}/metrics`)).text()
    expect(metrics).toMatch(/^sluice_refusals_total\{.*reason="insufficient_quota".*\} 1$/m)
    expect(metrics).toMatch(/^sluice_cost_usd_total\{.*\} [\d.]+$/m)
    if (chromiumPath === undefined) {
      console.warn('There is no Chromium on this machine: the page of the console was not opened.')
      return
    }
    const browser = await startChromium()
    onTestFinished(() => browser.close())
    const page = await browser.newPage()
    await page.goto(`${url}/console/#key=admin-key-of-the-walk`)
    await goTo(page, 'Requests')
    await page.getByText('bob').filter({ visible: true }).first().waitFor()
  })

  it.skipIf(nginxPath === undefined)(
    'docs/deployment.md: a rolling restart behind nginx, without a stream that is cut',
    { timeout: 180_000 },
    async () => {
      const { exchanges } = await restartBehindNginx(sluice)
      expect(exchanges.length).toBeGreaterThan(streams)
      console.log(`${exchanges.length} requests during the restart: 0 cut, 0 failed`)
    },
  )
})
