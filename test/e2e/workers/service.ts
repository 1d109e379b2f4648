import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { LimitRuleData } from '@sluice/core'
import { Agent, request } from 'undici'
import { onTestFinished } from 'vitest'
import { bundledProgram } from '../../../scripts/bundle-program.mjs'
import { type SluiceProcess, startProcess } from '../cli/start-process.ts'

/** A vendor that answers `fast` at once, and holds the stream of `held` open. */
interface HoldingVendor {
  readonly url: string
  /** The open streams. */
  readonly held: Set<ServerResponse>
  readonly received: () => number
  /** The most calls that were open at the same time. */
  readonly most: () => number
  /** Ends all open streams as a vendor does. */
  release(): void
}

const head = { id: 'c1', object: 'chat.completion', created: 1, model: 'm' }
const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }

export async function startVendor({ fastMs = 0 } = {}): Promise<HoldingVendor> {
  const held = new Set<ServerResponse>()
  let received = 0
  let open = 0
  let most = 0
  const server = createServer(async (incoming, response) => {
    received++
    most = Math.max(most, ++open)
    response.once('close', () => open--)
    let text = ''
    for await (const part of incoming) text += part
    const { model } = JSON.parse(text)
    if (model === 'held') {
      held.add(response)
      response.once('close', () => held.delete(response))
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const delta = { ...head, object: 'chat.completion.chunk' }
      response.write(
        `data: ${JSON.stringify({ ...delta, choices: [{ index: 0, delta: { role: 'assistant', content: 'a' }, finish_reason: null }] })}\n\n`,
      )
      return
    }
    const answer = {
      ...head,
      choices: [{ index: 0, message: { role: 'assistant', content: 'hello' }, finish_reason: 'stop' }],
      usage,
    }
    const send = () => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(answer))
    }
    if (fastMs === 0) send()
    else setTimeout(send, fastMs)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    held,
    received: () => received,
    most: () => most,
    release() {
      const delta = { ...head, object: 'chat.completion.chunk' }
      for (const response of held) {
        response.end(
          `data: ${JSON.stringify({ ...delta, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })}\n\ndata: [DONE]\n\n`,
        )
      }
    },
  }
}

interface WorkerService {
  readonly url: string
  readonly process: SluiceProcess
  /** Sends a request on a connection of its own, which some worker accepts. */
  chat(options?: ChatOptions): Promise<ChatResult>
  /** Calls a path on a connection of its own. */
  get(path: string): Promise<string>
  /** The process ids of the workers that answer, found by many connections. */
  pids(): Promise<readonly number[]>
}

interface ChatOptions {
  readonly key?: string
  readonly model?: string
  readonly stream?: boolean
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Readonly<Record<string, unknown>>
}

interface ChatResult {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** Resolves when the response has ended. Rejects if it is cut off. */
  readonly text: () => Promise<string>
}

/** Sends requests to a service, each on a connection of its own. */
export function clientOf(url: string): Pick<WorkerService, 'chat' | 'get' | 'pids'> {
  const get = async (path: string) => {
    const dispatcher = new Agent({ pipelining: 0 })
    try {
      const { body } = await request(`${url}${path}`, { dispatcher })
      return await body.text()
    } finally {
      await dispatcher.close()
    }
  }
  return {
    get,
    async chat({ key = 'sk-ann', model = 'fast', stream = false, headers = {}, body = {} } = {}) {
      const dispatcher = new Agent({ pipelining: 0 })
      const response = await request(`${url}/v1/chat/completions`, {
        method: 'POST',
        dispatcher,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ model, stream, messages: [{ role: 'user', content: 'hi' }], ...body }),
      })
      const text = response.body.text().finally(() => dispatcher.destroy())
      text.catch(() => {})
      return { status: response.statusCode, headers: response.headers, text: () => text }
    },
    async pids() {
      const found = new Set<number>()
      for (let count = 0; count < 20; count++) found.add(Number(await get('/pid')))
      return [...found]
    },
  }
}

interface ServiceStart {
  readonly rules?: readonly LimitRuleData[]
  readonly workers?: number | string
  readonly env?: Readonly<Record<string, string>>
}

/** Bundles the program. */
export function buildProgram(): Promise<string> {
  return bundledProgram(join(import.meta.dirname, 'program.ts'))
}

/** Starts the program, without waiting for it. */
export function startProgram(
  program: string,
  upstream: string,
  { rules = [], workers = 2, env = {} }: ServiceStart = {},
): SluiceProcess {
  return startProcess(process.execPath, [program], {
    cwd: import.meta.dirname,
    env: { UPSTREAM: upstream, RULES: JSON.stringify(rules), WORKERS: String(workers), ...env },
  })
}

/** Starts the program, and waits until its workers accept requests. */
export async function startWorkers(
  program: string,
  upstream: string,
  start: ServiceStart = {},
): Promise<WorkerService> {
  const process = startProgram(program, upstream, start)
  const [, url] = await process.until(/ at (http\S+)/)
  return { url: url!, process, ...clientOf(url!) }
}
