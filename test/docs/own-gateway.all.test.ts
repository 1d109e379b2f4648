import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { startUpstream, steps } from '@sluice/testing'
import OpenAI from 'openai'
import { afterEach, describe, expect, it } from 'vitest'
import { bundledProgram } from '../../scripts/bundle-program.mjs'
import { ask } from './runner/ask.ts'
import { root } from './runner/markdown.ts'
import { hasCurl, shell } from './runner/shell.ts'

// examples/custom-gateway in a process of its own, as whoever runs it meets it: once by tsx, and then bundled, which starts in a
// tenth of the time. Both are on the sources, so that no build is needed.

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

/** The example in a process of its own. */
interface Started {
  readonly child: ChildProcess
  readonly exited: Promise<number | null>
  /** What it has printed so far, on either stream. */
  printed(): string
  /** Waits until it has printed something that fits. */
  until(pattern: RegExp): Promise<RegExpExecArray>
}

const running: ChildProcess[] = []
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL')
})

const folder = join(root, 'examples/custom-gateway')
const tsx = [join(root, 'node_modules/tsx/dist/cli.mjs'), '--conditions=@sluice/source', 'server.ts']
const bundled = [await bundledProgram(join(folder, 'server.ts'))]

function start(env: Readonly<Record<string, string>> = {}, program = bundled): Started {
  const set = /^(?:(?:OPENAI|ANTHROPIC|GEMINI)_(?:API_KEY|BASE_URL)|SLUICE_API_KEY|HOST|PORT)$/
  const rest = Object.fromEntries(Object.entries(process.env).filter(([name]) => !set.test(name)))
  const child = spawn(process.execPath, program, {
    cwd: folder,
    env: { ...rest, PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.push(child)
  let printed = ''
  child.stdout.on('data', text => {
    printed += text
  })
  child.stderr.on('data', text => {
    printed += text
  })
  const exited = once(child, 'close').then(([code]) => code as number | null)
  return {
    child,
    exited,
    printed: () => printed,
    until: pattern =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = pattern.exec(printed)
          if (found !== null) resolve(found)
        }
        look()
        child.stdout.on('data', look)
        child.stderr.on('data', look)
        void exited.then(code =>
          reject(new Error(`It ended with ${code} before it printed ${pattern}:\n${printed}`)),
        )
      }),
  }
}

describe('the custom gateway', () => {
  it('prints what a newcomer needs, and all of it works; SIGTERM ends it with 0', async () => {
    const gateway = start({}, tsx)
    await gateway.until(/Ctrl\+C/)
    const banner = gateway.printed()
    const baseURL = /http:\/\/127\.0\.0\.1:\d+\/v1/.exec(banner)![0]
    const key = /sk-sluice-[\w-]{32}/.exec(banner)![0]
    const rows = banner.split('\n').filter(line => line.endsWith(' local()'))
    expect(rows.map(row => row.trim().split(/ +/)[0])).toEqual(specified)
    expect(banner).toContain('not a language model')

    const curl = banner.split('\n').find(line => line.startsWith('curl '))!
    if (hasCurl) {
      expect(JSON.parse(await shell(`${curl} -sS`))).toMatchObject({
        choices: [{ message: { content: '12 * 7 = 84' } }],
      })
    }

    const client = new OpenAI({ apiKey: key, baseURL })
    const listed = await client.models.list()
    expect(listed.data.map(({ id }) => id)).toEqual(specified)
    const messages = [{ role: 'user' as const, content: 'What is 12 * 7?' }]
    for (const model of specified) {
      const whole = await client.chat.completions.create({ model, messages })
      expect(whole.choices[0]?.message.content, model).toBe('12 * 7 = 84')
    }
    let text = ''
    for await (const chunk of await client.chat.completions.create({ model: 'o3', messages, stream: true }))
      text += chunk.choices[0]?.delta.content ?? ''
    expect(text).toBe('12 * 7 = 84')
    await gateway.until(/\n200 me o3 completed, 12 tokens, \d+ ms\n/)
    expect((await ask(baseURL, { key: 'sk-wrong' })).status).toBe(401)
    expect((await ask(baseURL, { key })).status).toBe(404)
    expect(gateway.printed().split(key).length - 1).toBe(2)

    gateway.child.kill('SIGTERM')
    expect(await gateway.exited).toBe(0)
  })

  it('asks the real vendor where there is a key for it', async () => {
    const upstream = await startUpstream(steps.answer({ text: 'From the vendor.' }))
    const gateway = start({
      SLUICE_API_KEY: "it's-mine",
      OPENAI_API_KEY: 'sk-vendor',
      OPENAI_BASE_URL: upstream.baseURL,
    })
    const banner = (await gateway.until(/[\s\S]*Ctrl\+C/))[0]
    expect(banner).toMatch(/vendora-4\.1-mini +openai \(gpt-4\.1-mini\)/)
    expect(banner).toMatch(/vendorc-2\.5-flash +local\(\)/)
    expect(banner).not.toContain('sk-vendor')
    const baseURL = /http:\/\/127\.0\.0\.1:\d+\/v1/.exec(banner)![0]
    const curl = banner.split('\n').find(line => line.startsWith('curl '))!
    if (hasCurl) expect(await shell(`${curl} -sS`)).toContain('From the vendor.')
    const asking = { key: "it's-mine" }
    expect(await ask(baseURL, { ...asking, model: 'o1' })).toMatchObject({ text: 'From the vendor.' })
    expect(await ask(baseURL, { ...asking, model: 'vendorc-2.5-flash' })).toMatchObject({
      text: '12 * 7 = 84',
    })
    expect(upstream.requests.at(-1)?.json).toMatchObject({ model: 'o1' })
    expect(upstream.requests.at(-1)?.headers.authorization).toBe('Bearer sk-vendor')
    gateway.child.kill('SIGINT')
    expect(await gateway.exited).toBe(0)
    await upstream.close()
  })

  it('asks each vendor in its own words, where there is a key for it', async () => {
    const said = { text: 'From the second vendor.' }
    const second = await startUpstream(
      steps.reply({
        type: 'message',
        role: 'assistant',
        content: [{ type: 'text', ...said }],
        stop_reason: 'end_turn',
        usage: { input_tokens: 3, output_tokens: 4 },
      }),
      steps.reply({ type: 'error', error: { type: 'authentication_error', message: 'x' } }, { status: 401 }),
    )
    const third = await startUpstream(
      steps.reply({
        candidates: [
          { content: { role: 'model', parts: [{ text: 'From the third vendor.' }] }, finishReason: 'STOP' },
        ],
        usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 4, totalTokenCount: 7 },
      }),
    )
    const gateway = start({
      SLUICE_API_KEY: 'mine',
      ANTHROPIC_API_KEY: 'sk-second',
      ANTHROPIC_BASE_URL: second.url,
      GEMINI_API_KEY: 'sk-third',
      GEMINI_BASE_URL: third.url,
    })
    const banner = (await gateway.until(/[\s\S]*Ctrl\+C/))[0]
    expect(banner).toMatch(/vendora-4o +local\(\)/)
    expect(banner).toMatch(/vendorb-sonnet-4-20250514 +anthropic \(claude-sonnet-4-20250514\)/)
    expect(banner).toMatch(/vendorc-2\.5-flash +gemini \(gemini-2\.5-flash\)/)
    expect(banner).not.toMatch(/sk-second|sk-third/)
    const baseURL = /http:\/\/127\.0\.0\.1:\d+\/v1/.exec(banner)![0]
    const asking = { key: 'mine' }
    expect(await ask(baseURL, { ...asking, model: 'vendorb-sonnet-4-20250514' })).toMatchObject(said)
    expect(await ask(baseURL, { ...asking, model: 'vendorc-2.5-flash' })).toMatchObject({
      text: 'From the third vendor.',
    })
    expect(banner).toContain('"model":"vendorb-sonnet-4-20250514"')
    expect(await ask(baseURL, { ...asking, model: 'vendorb-sonnet-4-20250514' })).toMatchObject({
      status: 502,
      code: 'upstream_auth',
    })
    await gateway.until(/\n502 me vendorb-sonnet-4-20250514 upstream_failed \(anthropic: 401\), \d+ ms\n/)
    expect(second.requests[0]?.path).toBe('/v1/messages')
    expect(second.requests[0]?.headers['x-api-key']).toBe('sk-second')
    expect(third.requests[0]?.path).toBe('/v1beta/models/gemini-2.5-flash:generateContent')
    expect(third.requests[0]?.headers['x-goog-api-key']).toBe('sk-third')
    gateway.child.kill('SIGINT')
    expect(await gateway.exited).toBe(0)
    await Promise.all([second.close(), third.close()])
  })

  it.each([
    [{ PORT: 'abc' }, /^PORT is 'abc'\. Set it to a whole number from 0 to 65535/],
    [{ PORT: '65536' }, /^PORT is '65536'/],
    [{ SLUICE_API_KEY: 'a b' }, /^SLUICE_API_KEY has characters that a key cannot have/],
    [
      { OPENAI_API_KEY: 'sk-canary', OPENAI_BASE_URL: 'nowhere' },
      /^openai\(\): baseURL: got a string, expected a URL/,
    ],
  ])('says what is wrong with %o, and ends with 1', async (env, message) => {
    const gateway = start(env)
    expect(await gateway.exited).toBe(1)
    expect(gateway.printed()).toMatch(message)
    expect(gateway.printed()).not.toMatch(/^\s+at |canary/m)
  })

  it('says that its port is in use, and ends with 1', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as { port: number }
    const gateway = start({ PORT: String(port) })
    expect(await gateway.exited).toBe(1)
    other.close()
    expect(gateway.printed()).toContain(`cannot listen on 127.0.0.1:${port}: another program uses that port`)
    expect(gateway.printed()).toContain('Set PORT to another one')
  })
})
