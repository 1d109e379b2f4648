import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { chunks, findClosedPort, sse, startUpstream, steps } from '@sluice/testing'
import OpenAI from 'openai'
import { expect, onTestFinished, vi } from 'vitest'
import { temporaryFolder } from '../docs/runner/temporary-folder.ts'
import type { SluiceProcess, SluiceStart } from '../e2e/cli/start-process.ts'
import { startNginx } from '../resilience/faults/harness/nginx.ts'
import { readDeploy, root } from './files.ts'

const run = promisify(execFile)

/** Runs the command line: on the sources, or as it is installed somewhere. */
export type StartSluice = (args: readonly string[], start: SluiceStart) => SluiceProcess

const words = 40
/** A stream takes three seconds: longer than nginx takes to reload. */
const wordMs = 75
export const streams = 8

/** Two processes of `sluice serve`, each of which can be restarted. */
export class Processes {
  readonly ports: readonly number[]
  readonly stoppedAt: number[] = []
  readonly exitCodes: (number | null)[] = []
  readonly #sluice: StartSluice
  readonly #folder: string
  readonly #running = new Map<number, SluiceProcess>()

  private constructor(sluice: StartSluice, ports: readonly number[], folder: string) {
    this.#sluice = sluice
    this.ports = ports
    this.#folder = folder
  }

  static async start(sluice: StartSluice, vendor: string, shutdownDelayMs: number): Promise<Processes> {
    const folder = temporaryFolder()
    writeFileSync(
      join(folder, 'sluice.config.yaml'),
      `server: { shutdownDelayMs: ${shutdownDelayMs}, drainMs: 30000 }
providers: { vendor: { type: openai-compatible, baseURL: '${vendor}', apiKey: sk-vendor } }
models: { m: vendor/m }
keys: [{ id: ann, key: sk-ann }]
telemetry: { log: 'off' }
`,
    )
    const processes = new Processes(sluice, [await findClosedPort(), await findClosedPort()], folder)
    for (const port of processes.ports) processes.#spawn(port)
    await Promise.all(processes.ports.map(port => processes.isReady(port)))
    return processes
  }

  /** Sends SIGTERM, waits until the process has ended, and starts another one. It may not listen yet. */
  async restart(port: number): Promise<void> {
    const { child, exited } = this.#running.get(port)!
    this.stoppedAt.push(performance.now())
    child.kill('SIGTERM')
    this.exitCodes.push(await exited)
    this.#spawn(port)
  }

  async isReady(port: number): Promise<void> {
    await vi.waitFor(async () => expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200), {
      timeout: 60_000,
      interval: 100,
    })
  }

  #spawn(port: number): void {
    this.#running.set(port, this.#sluice(['serve', '--port', String(port)], { cwd: this.#folder }))
  }
}

interface Exchange {
  readonly kind: string
  readonly startedAt: number
  readonly endedAt: number
  /** `ok`, or how it failed. */
  readonly result: string
}

/** Clients that stream and send requests until they are stopped. */
export class Clients {
  readonly exchanges: Exchange[] = []
  #isStopped = false
  readonly #loops: Promise<void>[]

  constructor(port: number) {
    const openai = new OpenAI({ baseURL: `http://127.0.0.1:${port}/v1`, apiKey: 'sk-ann' })
    const messages = [{ role: 'user' as const, content: 'Hello' }]
    this.#loops = [
      ...Array.from({ length: streams }, () =>
        this.#loop('stream', () =>
          exchange(port, '/v1/chat/completions', { model: 'm', stream: true, messages }, 'data: [DONE]'),
        ),
      ),
      this.#loop('chat', () =>
        exchange(port, '/v1/chat/completions', { model: 'm', messages }, '"finish_reason"'),
      ),
      this.#loop('messages', () =>
        exchange(port, '/v1/messages', { model: 'm', max_tokens: 100, messages }, '"stop_reason"'),
      ),
      this.#loop('messages stream', () =>
        exchange(
          port,
          '/v1/messages',
          { model: 'm', max_tokens: 100, stream: true, messages },
          'message_stop',
        ),
      ),
      // Keeps its connections, and sends again what failed on one that nginx has closed meanwhile.
      this.#loop('openai', async () => {
        const answer = await openai.chat.completions.create({ model: 'm', messages, stream: true })
        let received = ''
        for await (const chunk of answer) received += chunk.choices[0]?.delta.content ?? ''
        return received.split(' ').length === words ? 'ok' : `cut after ${received.length} characters`
      }),
      this.#loop('models', () => exchange(port, '/v1/models', undefined, '"id":"m"')),
    ]
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await Promise.all(this.#loops)
  }

  get failed(): readonly string[] {
    return this.exchanges
      .filter(({ result }) => result !== 'ok')
      .map(({ kind, result }) => `${kind}: ${result}`)
  }

  /** How many streams were open at a time. */
  streamsAt(time: number): number {
    return this.exchanges.filter(
      ({ kind, startedAt, endedAt }) => kind === 'stream' && startedAt < time && endedAt > time,
    ).length
  }

  async #loop(kind: string, send: () => Promise<string>): Promise<void> {
    while (!this.#isStopped) {
      const startedAt = performance.now()
      const result = await send().catch((error: Error) => error.message)
      this.exchanges.push({ kind, startedAt, endedAt: performance.now(), result })
      await sleep(20)
    }
  }
}

/** Sends a request on a connection of its own. Resolves to `ok` where the whole response has come, and ends as it should. */
function exchange(port: number, path: string, body: object | undefined, end: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        port,
        host: '127.0.0.1',
        path,
        method: body === undefined ? 'GET' : 'POST',
        agent: false,
        headers: { authorization: 'Bearer sk-ann', 'content-type': 'application/json' },
      },
      response => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', part => {
          text += part
        })
        response.on('error', reject)
        response.on('end', () => {
          const complete = response.statusCode === 200 && text.includes(end)
          resolve(complete ? 'ok' : `${response.statusCode} ${text.slice(-200)}`)
        })
      },
    )
    sent.on('error', reject)
    sent.end(body && JSON.stringify(body))
  })
}

/** A vendor that answers at once, and streams a word every so often. */
export async function startVendor(): Promise<string> {
  const text = Array.from({ length: words }, (_, index) => `w${index}`).join(' ')
  const vendor = await startUpstream(({ json }) =>
    json?.stream === true ? steps.stream(sse(chunks({ text })), { delay: wordMs }) : steps.answer({ text }),
  )
  onTestFinished(() => vendor.close())
  return vendor.baseURL
}

export function expectNothingLost(clients: Clients, processes: Processes): void {
  expect(clients.failed).toEqual([])
  expect(processes.exitCodes).toEqual([0, 0])
  for (const kind of ['chat', 'messages', 'messages stream', 'openai', 'models'])
    expect(clients.exchanges.filter(each => each.kind === kind).length, kind).toBeGreaterThan(1)
  // There were streams to wait for: between two streams a client pauses.
  for (const stoppedAt of processes.stoppedAt)
    expect(clients.streamsAt(stoppedAt)).toBeGreaterThan(streams / 2)
}

/** Restarts two processes behind nginx by `rolling-restart.sh`, while clients stream. Nothing may be cut, nothing may fail. */
export async function restartBehindNginx(sluice: StartSluice): Promise<Clients> {
  const processes = await Processes.start(sluice, await startVendor(), 1_000)
  const folder = temporaryFolder()
  const [first, second] = processes.ports
  const upstream = join(folder, 'sluice-upstream.conf')
  writeFileSync(
    upstream,
    readDeploy('nginx/sluice-upstream.conf').replace(':8787 ', `:${first} `).replace(':8788 ', `:${second} `),
  )
  const port = await findClosedPort()
  const nginx = await startNginx(`include ${upstream};\n${plainSite(port)}`, port)
  const restart = join(folder, 'restart.sh')
  writeFileSync(
    restart,
    `curl --silent --fail --max-time 120 "http://127.0.0.1:${await restarter(processes)}/$1"\n`,
  )

  const clients = new Clients(port)
  await vi.waitFor(() => expect(clients.exchanges.length).toBeGreaterThan(streams), 30_000)
  const { stdout } = await run(
    'sh',
    [join(root, 'deploy/nginx/rolling-restart.sh'), ...processes.ports.map(String)],
    {
      env: { ...process.env, UPSTREAM: upstream, RELOAD: nginx.reloadCommand, RESTART: `sh ${restart}` },
      timeout: 120_000,
    },
  )
  await clients.stop()
  expect(stdout).toBe(processes.ports.map(each => `Port ${each} is restarted.\n`).join(''))
  expect(readFileSync(upstream, 'utf8')).not.toContain('down;')
  expectNothingLost(clients, processes)
  return clients
}

/** The site of deploy/nginx on one port of this machine, without TLS. */
function plainSite(port: number): string {
  const [, , secure = ''] = readDeploy('nginx/sluice.conf').split(/^server /m)
  return `server ${secure
    .replace('listen 443 ssl http2;', `listen 127.0.0.1:${port};`)
    .replaceAll(/^ +(?:listen \[::\]:443 .*|ssl_.*)$/gm, '')}`
}

/** Restarts the process of the path `/sluice@PORT`, as `systemctl restart` does. Resolves to its own port. */
async function restarter(processes: Processes): Promise<number> {
  const server = createServer((asked, response) => {
    void processes.restart(Number(asked.url?.split('@')[1])).then(
      () => response.end(),
      () => response.writeHead(500).end(),
    )
  })
  const port = await findClosedPort()
  await new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return port
}
