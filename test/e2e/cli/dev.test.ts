import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer, request, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { startUpstream, steps } from '@sluice/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { fakeCommandContext } from '../../../packages/cli/src/fake-command-context.ts'
import { main } from '../../../packages/cli/src/main.ts'
import { asking, runningDev, temporaryFolder } from './running-dev.ts'

async function refused(args: readonly string[], env = {}, cwd = temporaryFolder()) {
  const { context: world, printed, logged: told } = fakeCommandContext({ cwd, env })
  const code = await main(['dev', '--no-discover', ...args], world)
  return { code, printed: printed(), told: told() }
}

// The first of them loads all that a service is made of.
describe('sluice dev', () => {
  it('serves with nothing at all, and ends with 0 when it is told to', async () => {
    const cwd = temporaryFolder()
    const dev = await runningDev({ cwd })
    expect(dev.key).toMatch(/^sk-sluice-[\w-]{32}$/)
    expect(await asking(dev, 'vendora-4o')).toMatchObject({ status: 200, text: '12 * 7 = 84' })
    expect(await asking(dev, 'local')).toMatchObject({ status: 200 })
    expect(await asking(dev, 'nobody')).toMatchObject({ status: 404, code: 'model_not_found' })
    expect(await asking({ ...dev, key: 'sk-wrong' }, 'local')).toMatchObject({ status: 401 })
    expect(existsSync(join(cwd, '.sluice', 'dev.db'))).toBe(true)
    dev.stop()
    expect(await dev.ended).toBe(0)
    await expect(asking(dev, 'local')).rejects.toThrow('fetch failed')
  })

  it('asks a vendor whose key is in the environment, and never the stand-in in its place', async () => {
    const upstream = await startUpstream(
      steps.answer({ text: 'From the vendor.' }),
      steps.reply({ error: { message: 'bad', type: 'x', code: 'x' } }, { status: 400 }),
      steps.reply({ error: { message: 'gone' } }, { status: 401 }),
    )
    onTestFinished(() => upstream.close())
    const env = { SLUICE_API_KEY: 'mine', OPENAI_API_KEY: 'sk-canary', OPENAI_BASE_URL: upstream.baseURL }
    const dev = await runningDev({ env })
    expect(dev.key).toBe('mine')
    expect(dev.printed()).toMatch(/gpt-5\.5 +openai \(gpt-5\.5\)/)
    expect(dev.printed()).toMatch(/curl .+"model":"gpt-5\.5"/)
    expect(dev.printed()).toMatch(/vendorc-2\.5-flash +local\(\)/)
    expect(await asking(dev, 'openai/gpt-5')).toMatchObject({ text: 'From the vendor.' })
    expect(upstream.requests[0]?.json).toMatchObject({ model: 'gpt-5' })
    expect(upstream.requests[0]?.headers.authorization).toBe('Bearer sk-canary')
    expect((await asking(dev, 'vendora-4o')).status).toBe(400)
    expect(await asking(dev, 'vendora-4o')).toMatchObject({ status: 502, code: 'upstream_auth' })
    dev.stop()
    await dev.ended
    expect(dev.printed() + dev.logged()).not.toContain('sk-canary')
  })

  it('answers the known models of a vendor by the vendor where its key is there, and by a labelled stand-in where not', async () => {
    const upstream = await startUpstream(steps.answer({ text: 'From OpenAI.' }))
    onTestFinished(() => upstream.close())
    const env = { OPENAI_API_KEY: 'sk-canary', OPENAI_BASE_URL: upstream.baseURL }
    const dev = await runningDev({ env })
    expect(await asking(dev, 'gpt-4o')).toMatchObject({ text: 'From OpenAI.', adjustments: null })
    expect(upstream.requests[0]?.json).toMatchObject({ model: 'gpt-4o' })
    const labelled = { status: 200, text: '12 * 7 = 84', adjustments: expect.stringContaining('stand-in') }
    expect(await asking(dev, 'claude-sonnet-4-5')).toMatchObject(labelled)
    expect(await asking(dev, 'vendorc-2.5-flash')).toMatchObject(labelled)
    expect(await asking(dev, 'local')).toMatchObject({ status: 200, adjustments: null })
    const listed = await fetch(`${dev.baseURL}/models`, { headers: { authorization: `Bearer ${dev.key}` } })
    const { data } = (await listed.json()) as { data: { id: string; owned_by: string }[] }
    const owners = Object.fromEntries(data.map(({ id, owned_by }) => [id, owned_by]))
    expect(owners).toMatchObject({
      'vendora-4o': 'openai',
      'gpt-4o': 'openai',
      'claude-sonnet-4-5': 'local',
      'vendorc-2.5-flash': 'local',
    })
    expect(dev.printed()).toMatch(/^ {2}claude-\S+ +local\(\), not Anthropic$/m)
    expect(dev.printed()).toMatch(/^ {2}openai\/\* +openai \(all its models\)$/m)
  })

  it('answers messages and embeddings by the stand-in', async () => {
    const dev = await runningDev()
    const post = (path: string, body: object) =>
      fetch(`${dev.baseURL}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${dev.key}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    const messages = [{ role: 'user', content: 'What is 12 * 7?' }]
    const message = await post('/messages?beta=true', {
      model: 'claude-sonnet-4-5',
      max_tokens: 50,
      messages,
    })
    expect(message.headers.get('x-sluice-adjustments')).toContain('stand-in')
    expect(await message.json()).toMatchObject({ content: [{ type: 'text', text: '12 * 7 = 84' }] })
    const counted = await post('/messages/count_tokens', { model: 'local', messages })
    expect(await counted.json()).toEqual({ input_tokens: expect.any(Number) })
    const embedded = await post('/embeddings', { model: 'local', input: ['a', 'b'], dimensions: 8 })
    expect((await embedded.json()).data).toHaveLength(2)
    const line = /^ANTHROPIC_BASE_URL=(\S+) ANTHROPIC_AUTH_TOKEN=(\S+) .*claude --model \S+$/m
    const [, url, key] = line.exec(dev.printed()) ?? []
    expect([`${url}/v1`, key]).toEqual([dev.baseURL, dev.key])
    expect((await fetch(`${url}/api/hello`, { method: 'HEAD' })).status).toBe(200)
  })

  it('names near models in the 404 of an unknown one, and only those that the key may use', async () => {
    const dev = await runningDev()
    expect(await asking(dev, 'vendora-5o')).toMatchObject({
      status: 404,
      code: 'model_not_found',
      message: expect.stringMatching(/ Did you mean `vendora-4o`.*\?$/),
    })
    expect(await asking(dev, 'claude-sonet-4-5')).toMatchObject({
      status: 404,
      message: expect.stringContaining('`claude-sonnet-4-5`'),
    })
    const { context: world, printed } = fakeCommandContext({ cwd: dev.context.cwd })
    await main(['keys', 'create', '--name', 'Ann', '--model', 'o*'], world)
    const own = { ...dev, key: printed().trim() }
    const got = await asking(own, 'vendora-5o')
    expect([got.status, got.message]).toEqual([404, expect.not.stringContaining('vendora-4o')])
  })

  it('answers any name with --any-model, and labels it', async () => {
    const dev = await runningDev({ args: ['--any-model'] })
    expect(await asking(dev, 'a-model-of-next-year')).toMatchObject({
      status: 200,
      adjustments: expect.stringContaining('stand-in'),
    })
    const cwd = temporaryFolder()
    writeFileSync(join(cwd, 'sluice.config.json'), '{}')
    expect(await refused(['--any-model'], {}, cwd)).toMatchObject({
      code: 2,
      told: expect.stringContaining("'local/*'"),
    })
  })

  it('finds a server of this machine, and asks it without a key', async () => {
    const models = {
      object: 'list',
      data: [{ id: 'qwen3:8b', object: 'model', created: 1, owned_by: 'library' }],
    }
    const upstream = await startUpstream(
      steps.reply({ version: '0.12.0' }),
      steps.reply(models),
      steps.answer({ text: 'From here.' }),
    )
    onTestFinished(() => upstream.close())
    const dev = await runningDev({ env: { OLLAMA_HOST: new URL(upstream.url).host } })
    expect(dev.printed()).toMatch(/Found Ollama at 127\.0\.0\.1:\d+, with 1 model/)
    expect(dev.printed()).toMatch(/^curl .*"model":"ollama\/qwen3:8b"/m)
    expect(await asking(dev, 'ollama/qwen3:8b')).toMatchObject({ text: 'From here.' })
    expect(upstream.requests.map(({ path }) => path)).toEqual([
      '/api/version',
      '/v1/models',
      '/v1/chat/completions',
    ])
    for (const { headers } of upstream.requests) expect(headers.authorization).toBeUndefined()
  })

  it('serves the page with its admin key, unless it is told not to', async () => {
    const dev = await runningDev()
    const [, page = ''] = /Console +(\S+)/.exec(dev.printed()) ?? []
    expect(page).toMatch(/\/console\/#key=admin-[\w-]{32}$/)
    const answered = await fetch(page)
    expect([answered.status, answered.headers.get('content-type')]).toEqual([
      200,
      expect.stringMatching('text/html'),
    ])
    const about = (key: string) =>
      fetch(new URL('api/about', page), { headers: { authorization: `Bearer ${key}` } })
    expect((await about(page.split('#key=')[1]!)).status).toBe(200)
    expect((await about(dev.key)).status).toBe(401)
    const without = await runningDev({ args: ['--no-console'] })
    expect(without.printed()).not.toContain('Console')
    expect((await fetch(without.baseURL.replace(/v1$/, 'console/'))).status).toBe(404)
  })

  it('serves the configuration of the folder, and takes it again when it changes', async () => {
    const cwd = temporaryFolder()
    const write = (config: object) => writeFileSync(join(cwd, 'sluice.config.json'), JSON.stringify(config))
    const config = { providers: { local: {} }, keys: [{ id: 'ann', key: 'sk-ann' }] }
    write({ ...config, models: { first: 'local/x' } })
    const dev = await runningDev({ cwd })
    expect(dev.printed()).toContain('Serving sluice.config.json')
    expect(dev.printed()).not.toContain('vendora-4o')
    expect(await asking(dev, 'first')).toMatchObject({ status: 200 })
    write({ ...config, models: { first: 'local/x', second: 'local/y' } })
    await dev.until(/Configuration reloaded/)
    expect(await asking(dev, 'second')).toMatchObject({ status: 200 })
    write({ ...config, models: { third: 'nobody/x' } })
    await dev.until(/keeps its current configuration/)
    expect(await asking(dev, 'second')).toMatchObject({ status: 200 })
  })

  describe('that a page calls by a name of its own', () => {
    const statusBy = (dev: { baseURL: string; key: string }, path: string, host: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        const headers = { host, authorization: `Bearer ${dev.key}` }
        const asked = request(new URL(path, dev.baseURL), { headers }, response => {
          response.resume()
          resolve(response.statusCode)
        })
        asked.on('error', reject).end()
      })
    const paths = ['/v1/models', '/metrics', '/openapi.json', '/console/', '/healthz', '/elsewhere']

    it('answers to loopback and its own address alone, whatever is asked for', async () => {
      const dev = await runningDev()
      const { port } = new URL(dev.baseURL)
      for (const host of [
        'localhost',
        `LOCALHOST.:${port}`,
        'app.localhost',
        '127.0.0.1',
        '127.9.9.9:80',
        '[::1]',
      ]) {
        expect([host, await statusBy(dev, '/v1/models', host)]).toEqual([host, 200])
      }
      const foreign = [
        'evil.example',
        `evil.example:${port}`,
        'localhost.evil.example',
        '127.0.0.1.nip.io',
        '192.168.0.7',
      ]
      for (const host of foreign) {
        for (const path of paths)
          expect([host, path, await statusBy(dev, path, host)]).toEqual([host, path, 403])
      }
      const answer = await fetch(`${dev.baseURL}/models`, { headers: { 'x-forwarded-host': 'evil.example' } })
      expect(answer.status).toBe(401)
    })

    it('answers to the names of its configuration, and to any address where it listens on all', async () => {
      const cwd = temporaryFolder()
      const config = {
        providers: { local: {} },
        models: { m: 'local/m' },
        keys: [{ id: 'ann', key: 'sk-ann' }],
        server: { allowedHosts: ['my.laptop'] },
      }
      writeFileSync(join(cwd, 'sluice.config.json'), JSON.stringify(config))
      const dev = await runningDev({ cwd, args: ['--host', '0.0.0.0'] })
      for (const host of ['my.laptop:80', 'My.Laptop', '192.168.0.7', 'localhost']) {
        expect([host, await statusBy(dev, '/v1/models', host)]).toEqual([host, 200])
      }
      expect(await statusBy(dev, '/v1/models', 'your.laptop')).toBe(403)
    })
  })

  it('lets a running answer come to its end before it ends itself', async () => {
    const chunk = (content: string) =>
      `data: ${JSON.stringify({ id: 'x', choices: [{ index: 0, delta: { content }, finish_reason: null }] })}\n\n`
    const last = { id: 'x', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }
    let answering = (_: ServerResponse) => {}
    const asked = new Promise<ServerResponse>(resolve => {
      answering = resolve
    })
    const upstream = createHttpServer((request, response) => {
      request.resume()
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(chunk('Begun'))
      answering(response)
    }).listen(0, '127.0.0.1')
    onTestFinished(() => void upstream.close())
    await once(upstream, 'listening')
    const { port } = upstream.address() as AddressInfo
    const dev = await runningDev({
      env: { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1` },
    })
    const response = await fetch(`${dev.baseURL}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${dev.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'o1', stream: true, messages: [{ role: 'user', content: 'x' }] }),
    })
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    while (!text.includes('Begun')) text += (await reader.read()).value
    dev.stop()
    const held = await asked
    held.end(`${chunk(', ended')}data: ${JSON.stringify(last)}\n\ndata: [DONE]\n\n`)
    for (let read = await reader.read(); !read.done; read = await reader.read()) text += read.value
    expect(text).toContain(', ended')
    expect(text).toMatch(/data: \[DONE\]\s*$/)
    expect(await dev.ended).toBe(0)
  })

  it.each([
    [['--port', 'abc'], {}, 2, /^--port is 'abc'/],
    [[], { PORT: 'abc' }, 1, /^PORT is 'abc'/],
    [[], { SLUICE_API_KEY: 'can ary' }, 1, /^SLUICE_API_KEY has characters/],
    [
      [],
      { OPENAI_API_KEY: 'sk-canary', OPENAI_BASE_URL: 'nowhere' },
      1,
      /^OPENAI_BASE_URL is not a base URL/,
    ],
    [['--database', 'mysql://a:canary@b/c'], {}, 1, /database/],
    [['--config', 'none.json'], {}, 1, /^File not found: none\.json/],
    [['extra'], {}, 2, /unexpected argument 'extra'/],
    [['--host', '256.0.0.1', '--port', '0'], {}, 1, /256\.0\.0\.1/],
  ])('refuses %j with %o', async (args, env, code, message) => {
    const got = await refused(args, env)
    expect(got).toMatchObject({ code, printed: '', told: expect.stringMatching(message) })
    expect(got.told).not.toMatch(/^\s+at |canary|can ary/m)
  })

  it('takes the next free port where another program uses its own, and says so', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    onTestFinished(() => void other.close())
    await once(other, 'listening')
    const { port } = other.address() as { port: number }
    const dev = await runningDev({ args: ['--port', String(port)] })
    const own = Number(new URL(dev.baseURL).port)
    expect(own).toBeGreaterThan(port)
    expect(dev.printed()).toContain(`Port ${port} is in use by another program: listening on ${own} instead.`)
    expect(await asking(dev, 'local')).toMatchObject({ status: 200 })
  })

  it('says that its port is in use where no further one is free', async () => {
    const last = createServer().listen(65_535, '127.0.0.1')
    onTestFinished(() => void last.close())
    await once(last, 'listening')
    const got = await refused(['--port', '65535'])
    expect(got).toMatchObject({ code: 1, printed: '' })
    expect(got.told).toContain('Cannot listen on 127.0.0.1:65535: another program uses that port')
  })

  it('says what to do where nothing can be kept', async () => {
    const cwd = temporaryFolder()
    writeFileSync(join(cwd, '.sluice'), 'a file')
    const got = await refused(['--port', '0'], {}, cwd)
    expect(got).toMatchObject({ code: 1, told: expect.stringMatching(/\.sluice.*--database/) })
    const dev = await runningDev({ cwd, args: ['--database', ':memory:'] })
    expect(await asking(dev, 'local')).toMatchObject({ status: 200 })
  })
})
