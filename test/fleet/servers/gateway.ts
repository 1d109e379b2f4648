import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { addresses, type GatewayName, ports, redisName, upstreams } from '../network/addresses.ts'
import { price } from '../traffic/call.ts'
import { type FleetContext, Program } from './program.ts'

const root = join(import.meta.dirname, '../../..')

/** A line of the request log. */
export interface LogLine {
  readonly gateway: GatewayName
  readonly requestId: string
  readonly clientRequestId: string | null
  readonly status: number
  readonly outcome: string
  readonly costUsd: number | null
}

/** One process of `sluice serve`, as it is built. */
export class Gateway {
  readonly name: GatewayName
  /** The lines of its request log. */
  readonly lines: LogLine[] = []
  /** Its other lines, about stores and targets. */
  readonly events: { readonly message: string; readonly [field: string]: unknown }[] = []
  readonly #program: Program
  #rest = ''

  private constructor(context: FleetContext, name: GatewayName, databaseUrl: string, clockShiftMs: number) {
    this.name = name
    const folder = join(context.folder, name)
    mkdirSync(folder, { recursive: true })
    const providers = upstreams.map(
      host =>
        `  ${host}: { type: openai-compatible, baseURL: 'http://${addresses[host]}:${ports.upstream}/v1', apiKey: sk-upstream }`,
    )
    writeFileSync(
      join(folder, 'sluice.config.yaml'),
      `server: { host: 0.0.0.0, port: ${ports.gateway} }
providers:
${providers.join('\n')}
models: { m: { roundRobin: [${upstreams.map(host => `${host}/m`).join(', ')}] } }
prices: { m: { input: ${price.input}, output: ${price.output} } }
state: { database: '${databaseUrl}', journal: ./journal, redis: 'redis://${redisName}:${ports.redis}', instances: 4 }
metadataTags: [mark]
clientRequestId: true
telemetry: { log: json, metrics: true }
`,
    )
    const shift =
      clockShiftMs === 0
        ? []
        : ['--import', pathToFileURL(join(import.meta.dirname, 'shifted-clock.mjs')).href]
    const command = [
      process.execPath,
      ...shift,
      join(root, 'packages/cli/dist/bin.js'),
      'serve',
      '--no-watch',
    ]
    this.#program = Program.start(context, name, command, {
      cwd: folder,
      env: { ...process.env, NODE_ENV: 'production', CLOCK_SHIFT_MS: String(clockShiftMs) },
      onOutput: text => this.#read(text),
    })
  }

  static async start(
    context: FleetContext,
    name: GatewayName,
    databaseUrl: string,
    clockShiftMs = 0,
  ): Promise<Gateway> {
    const gateway = new Gateway(context, name, databaseUrl, clockShiftMs)
    await gateway.#program.until(async () => (await fetch(`${gateway.origin}/readyz`)).ok, 60_000)
    return gateway
  }

  get origin(): string {
    return `http://${addresses[this.name]}:${ports.gateway}`
  }

  get running(): boolean {
    return this.#program.running
  }

  /** The sum of a counter over all of its labels. */
  async metric(name: string): Promise<number> {
    const text = await (await fetch(`${this.origin}/metrics`)).text()
    const lines = text.split('\n').filter(line => line.startsWith(`${name}{`))
    return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0)
  }

  /**
   * How long its limit store was failing since a moment (of `Date.now()`), in seconds, by its log. Its first failed operations
   * come before that.
   */
  failingSeconds(since: number): number {
    let total = 0
    let from: number | undefined
    for (const { message, store, state, time } of this.events) {
      if (message !== 'store' || store !== 'limits' || Date.parse(String(time)) < since) continue
      const at = Date.parse(String(time))
      if (state === 'failing') from ??= at
      else if (from !== undefined) {
        total += at - from
        from = undefined
      }
    }
    return (total + (from === undefined ? 0 : Date.now() - from)) / 1_000
  }

  async stop(): Promise<number | null> {
    return this.#program.end('SIGTERM')
  }

  async kill(): Promise<void> {
    await this.#program.kill()
  }

  #read(text: string): void {
    const lines = (this.#rest + text).split('\n')
    this.#rest = lines.pop() ?? ''
    for (const line of lines) {
      if (line === '') continue
      const fields = JSON.parse(line)
      if (fields.message === 'request') this.lines.push({ ...fields, gateway: this.name })
      else this.events.push(fields)
    }
  }
}
