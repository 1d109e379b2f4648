import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ModelEntry } from '@sluice/core'
import { openaiCompatible } from '@sluice/providers'
import { onTestFinished } from 'vitest'

// biome-ignore lint/suspicious/noExplicitAny: a test reads what was sent
type Loose = any

/** A vendor that begins to answer and goes on when the test lets it, as a server with chat completions and one with the Responses API. */
export interface GatedVendor {
  readonly table: {
    readonly chat: ModelEntry
    readonly other: ModelEntry
    readonly responses: ModelEntry
    readonly second: ModelEntry
  }
  /** The bodies that were sent. */
  readonly bodies: readonly Loose[]
  /** How many calls were cut off by the gateway. */
  readonly aborted: number
  /** Sends a text to all calls that wait. */
  say(text: string): void
  /** Lets all calls, and those to come, end. `status`: those without a stream fail with it. */
  finish(status?: number): void
}

export async function startGatedVendor(): Promise<GatedVendor> {
  const bodies: Loose[] = []
  const waiting = new Set<Call>()
  let aborted = 0
  let status: number | undefined
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString())
      const call = new Call(response, body, request.url!.endsWith('/responses'))
      waiting.add(call)
      response.on('close', () => {
        if (!response.writableFinished) aborted++
        waiting.delete(call)
      })
      bodies.push(body)
      call.begin()
      if (status !== undefined) call.finish(status)
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(
    () =>
      new Promise<void>(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  )
  const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  const chat = openaiCompatible({ name: 'gated', baseURL, apiKey: 'sk-vendor-canary' })
  const speaking = openaiCompatible({
    name: 'gated',
    baseURL,
    apiKey: 'sk-vendor-canary',
    speaks: ['responses'],
  })
  return {
    table: {
      chat: chat('vendor-model'),
      other: chat('vendor-model'),
      second: chat('vendor-model'),
      responses: speaking('vendor-model'),
    },
    bodies,
    get aborted() {
      return aborted
    },
    say: text => {
      for (const call of waiting) call.say(text)
    },
    finish: (given = 200) => {
      status = given
      for (const call of waiting) call.finish(given)
    },
  }
}

const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 }

/** A call that is being answered. */
class Call {
  readonly #response: ServerResponse
  readonly #stream: boolean
  readonly #isNative: boolean
  #said = ''
  #sequence = 0
  #isOver = false

  constructor(response: ServerResponse, body: Loose, isNative: boolean) {
    this.#response = response
    this.#stream = body.stream === true
    this.#isNative = isNative
  }

  begin(): void {
    if (!this.#stream) return
    this.#response.writeHead(200, { 'content-type': 'text/event-stream' })
    if (this.#isNative) this.#event('response.created', { response: this.#native('in_progress') })
    this.say('Hello')
  }

  say(text: string): void {
    this.#said += text
    if (!this.#stream) return
    if (!this.#isNative) {
      this.#chunk({
        choices: [{ index: 0, delta: { role: 'assistant', content: text }, finish_reason: null }],
      })
      return
    }
    if (this.#said === text) {
      this.#event('response.output_item.added', {
        output_index: 0,
        item: { ...this.#message(), content: [] },
      })
    }
    this.#event('response.output_text.delta', {
      item_id: 'msg_vendor',
      output_index: 0,
      content_index: 0,
      delta: text,
      logprobs: [],
    })
  }

  finish(status: number): void {
    const response = this.#response
    if (this.#isOver) return
    this.#isOver = true
    if (!this.#stream) {
      if (status !== 200) {
        response.writeHead(status, { 'content-type': 'application/json' })
        response.end(JSON.stringify({ error: { message: 'down', type: 'server_error' } }))
        return
      }
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(this.#isNative ? this.#native('completed') : this.#completion()))
      return
    }
    if (status !== 200) {
      response.destroy()
      return
    }
    if (this.#isNative) this.#event('response.completed', { response: this.#native('completed') })
    else {
      this.#chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })
      this.#chunk({ choices: [], usage })
      response.write('data: [DONE]\n\n')
    }
    response.end()
  }

  #chunk(members: object): void {
    const chunk = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', ...members }
    this.#response.write(`data: ${JSON.stringify(chunk)}\n\n`)
  }

  #event(type: string, members: object): void {
    const event = { type, sequence_number: this.#sequence++, ...members }
    this.#response.write(`event: ${type}\ndata: ${JSON.stringify(event)}\n\n`)
  }

  #completion(): object {
    const message = { role: 'assistant', content: `Hello${this.#said}` }
    const choices = [{ index: 0, message, finish_reason: 'stop' }]
    return { id: 'c', object: 'chat.completion', created: 1, model: 'm', choices, usage }
  }

  #message(): object {
    const text = this.#stream ? this.#said : `Hello${this.#said}`
    const content = [{ type: 'output_text', text, annotations: [], logprobs: [] }]
    return { id: 'msg_vendor', type: 'message', role: 'assistant', status: 'completed', content }
  }

  #native(status: string): object {
    const isOver = status === 'completed'
    return {
      id: 'resp_vendor',
      object: 'response',
      created_at: 1,
      status,
      model: 'm',
      background: false,
      store: false,
      error: null,
      output: isOver ? [this.#message()] : [],
      usage: isOver ? { input_tokens: 3, output_tokens: 2, total_tokens: 5 } : null,
    }
  }
}
