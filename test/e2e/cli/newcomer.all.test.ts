import { once } from 'node:events'
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import OpenAI from 'openai'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { ask } from '../../docs/runner/ask.ts'
import { hasCurl, shell } from '../../docs/runner/shell.ts'
import { sluice } from './sluice.ts'

// The command line in processes of its own, as a newcomer meets it; on the sources, so that no build is needed.

const root = join(import.meta.dirname, '../../..')

function folder(): string {
  const made = mkdtempSync(join(realpathSync(tmpdir()), 'sluice-newcomer-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

const specified = [
  'vendora-4o',
  'vendora-4o-mini',
  'vendora-4.1',
  'vendora-4.1-mini',
  'vendorb-sonnet-4-20250514',
  'vendorc-2.5-flash',
  'o1',
  'o3',
]

describe('a newcomer', () => {
  it('starts dev, pastes its curl, looks at its page, issues a key and sees its use; SIGTERM ends it with 0', async () => {
    const cwd = folder()
    const run = async (...args: string[]) => {
      const child = sluice(args, { cwd })
      return { code: await child.exited, stdout: child.stdout(), stderr: child.stderr() }
    }
    const dev = sluice(['dev', '--port', '0', '--no-discover'], { cwd })
    await dev.until(/Ctrl\+C/)
    const banner = dev.stdout()
    const baseURL = /http:\/\/127\.0\.0\.1:\d+\/v1/.exec(banner)![0]
    const key = /sk-sluice-[\w-]{32}/.exec(banner)![0]
    const rows = banner.split('\n').filter(line => line.endsWith(' local()'))
    expect(rows.map(row => row.trim().split(/ +/)[0])).toEqual(['local', ...specified])
    expect(banner).toContain('not a language model')
    expect(banner.match(/ \.\.\. and /g)).toHaveLength(1)

    const curl = banner.split('\n').find(line => line.startsWith('curl '))!
    if (hasCurl) {
      expect(JSON.parse(await shell(`${curl} -sS`))).toMatchObject({
        choices: [{ message: { content: '12 * 7 = 84' } }],
      })
    }
    const page = await fetch(/http:\S+\/console\/#key=\S+/.exec(banner)![0])
    expect([page.status, page.headers.get('content-type')]).toEqual([200, expect.stringMatching('text/html')])

    const client = new OpenAI({ apiKey: key, baseURL })
    const listed = await client.models.list()
    expect(listed.data.slice(0, 9).map(({ id }) => id)).toEqual(['local', ...specified])
    const messages = [{ role: 'user' as const, content: 'What is 12 * 7?' }]
    for (const model of specified) {
      const whole = await client.chat.completions.create({ model, messages })
      expect(whole.choices[0]?.message.content, model).toBe('12 * 7 = 84')
    }
    let text = ''
    for await (const chunk of await client.chat.completions.create({ model: 'o3', messages, stream: true }))
      text += chunk.choices[0]?.delta.content ?? ''
    expect(text).toBe('12 * 7 = 84')
    await dev.until(/"model":"o3"/)

    const made = await run('keys', 'create', '--name', 'Ann', '--model', 'o1', '--limit', 'requests:1/minute')
    expect(made).toMatchObject({ code: 0, stderr: expect.stringContaining('shown only once') })
    const own = { key: made.stdout.trim() }
    expect((await ask(baseURL, { ...own, model: 'o3' })).status).toBe(403)
    expect((await ask(baseURL, { ...own, model: 'nobody' })).status).toBe(404)
    expect((await ask(baseURL, { ...own, model: 'o1' })).status).toBe(200)
    expect((await ask(baseURL, { ...own, model: 'o1' })).status).toBe(429)
    expect((await ask(baseURL, { key: 'sk-wrong', model: 'o1' })).status).toBe(401)
    const used = (await run('usage', '--by', 'key')).stdout
    expect(used).toMatch(/^dev +\d+ /m)
    expect(used).toMatch(/^\w{12} \(Ann\) +1 /m)

    // As the key, and in the lines of curl, Claude Code and Codex.
    expect(dev.stdout().split(key).length - 1).toBe(4)
    dev.child.kill('SIGTERM')
    expect(await dev.exited).toBe(0)
  })

  it('writes a configuration, checks it, breaks it, and is told what is wrong', async () => {
    const cwd = folder()
    const env = { OPENAI_API_KEY: 'sk-canary' }
    const run = async (...args: string[]) => {
      const child = sluice(args, { cwd, env })
      return { code: await child.exited, printed: child.stdout() + child.stderr() }
    }
    expect(await run('init')).toMatchObject({ code: 0, printed: expect.stringContaining('npx sluice check') })
    const file = join(cwd, 'sluice.config.ts')
    const text = readFileSync(file, 'utf8')
    expect(text).not.toContain('canary')
    expect((await run('check')).code).toBe(0)
    writeFileSync(file, text.replace("'openai/gpt-4o-mini'", "'opnai/gpt-4o-mini'"))
    const broken = await run('check')
    expect(broken).toMatchObject({ code: 1, printed: expect.stringMatching(/models\.chat.*'opnai/) })
    expect(broken.printed).not.toMatch(/canary|^\s+at /m)
    expect(await run('init')).toMatchObject({ code: 1, printed: expect.stringContaining('--force') })
  })
})

describe('a clone of the repository', () => {
  it('has a sluice of its own before anything is built, so that npx fetches none', () => {
    const linked = realpathSync(join(root, 'node_modules/sluice'))
    expect(linked).toBe(realpathSync(join(root, 'packages/cli')))
    const { bin } = JSON.parse(readFileSync(join(linked, 'package.json'), 'utf8')) as {
      bin: { sluice: string }
    }
    expect(bin.sluice).not.toMatch(/dist/)
    expect(readFileSync(join(linked, bin.sluice), 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/)
  })
})

describe('the process', () => {
  it('ends at once at the second Ctrl+C, with 130', async () => {
    const dev = sluice(['dev', '--port', '0', '--no-discover', '--database', ':memory:'], { cwd: folder() })
    const banner = (await dev.until(/[\s\S]*Press Ctrl\+C to stop/))[0]
    const [baseURL = ''] = /http:\S+\/v1/.exec(banner) ?? []
    // A request whose body never comes keeps it from draining; that its body is waited for says that it is there.
    const authorization = `Bearer ${/sk-sluice-[\w-]+/.exec(banner)![0]}`
    const headers = {
      authorization,
      expect: '100-continue',
      'content-type': 'application/json',
      'content-length': 100,
    }
    const hanging = request(`${baseURL}/chat/completions`, { method: 'POST', headers })
    hanging.on('error', () => {})
    hanging.flushHeaders()
    await once(hanging, 'continue')
    dev.child.kill('SIGINT')
    // Two that come at once are one: the first has been heard when no more is taken.
    await vi.waitFor(() => expect(fetch(`${baseURL}/models`)).rejects.toThrow(), { timeout: 20_000 })
    dev.child.kill('SIGINT')
    expect(await dev.exited).toBe(130)
  })

  it('says nothing where nobody reads any more', async () => {
    const help = sluice(['--help'], { cwd: folder() })
    help.child.stdout?.destroy()
    expect(await help.exited).toBe(0)
    expect(help.stderr()).toBe('')
  })
})
