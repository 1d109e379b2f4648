import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Mood } from './weather.ts'

/** Sent by those who ask an upstream itself, beside the gateway. */
export const aloneHeader = 'x-alone'

const usage = { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8 }
const head = { id: 'up', created: 1, model: 'its-model' }
const error = { error: { message: 'busy', type: 'server_error', param: null, code: null } }

/** A model that does as it is in the mood to, on one port for its whole life. */
export class MoodyUpstream implements AsyncDisposable {
  /** When the gateway asked it, in milliseconds of `performance.now()`. A connection that was refused is not seen. */
  readonly asked: number[] = []
  /** When it gave the gateway a whole answer. */
  readonly answered: number[] = []
  readonly #slowMs: number
  #server: Server | undefined
  #port = 0
  #mood: Mood = 'well'
  #lies = 0

  private constructor(slowMs: number) {
    this.#slowMs = slowMs
  }

  static async start(slowMs: number): Promise<MoodyUpstream> {
    const upstream = new MoodyUpstream(slowMs)
    await upstream.#listen()
    return upstream
  }

  get port(): number {
    return this.#port
  }

  async become(mood: Mood): Promise<void> {
    const before = this.#mood
    this.#mood = mood
    if (mood === 'dead' && before !== 'dead') await this.#stop()
    if (mood !== 'dead' && before === 'dead') await this.#listen()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stop()
  }

  async #listen(): Promise<void> {
    const server = createServer({ noDelay: true }, (request, response) => {
      response.on('error', () => {})
      const alone = request.headers[aloneHeader] !== undefined
      if (!alone) this.asked.push(performance.now())
      text(request)
        .then(body => this.#serve(JSON.parse(body), response, alone))
        .catch(() => response.destroy())
    })
    this.#server = server
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(this.#port, '127.0.0.1', resolve)
    })
    this.#port = (server.address() as AddressInfo).port
  }

  async #stop(): Promise<void> {
    const server = this.#server
    this.#server = undefined
    if (server === undefined) return
    const closed = new Promise(resolve => server.close(resolve))
    server.closeAllConnections()
    await closed
  }

  async #serve({ stream }: { stream?: boolean }, response: ServerResponse, alone: boolean): Promise<void> {
    const mood = this.#mood
    await sleep(mood === 'slow' ? this.#slowMs : 5)
    if (response.destroyed) return
    if (mood === 'refusing' || mood === 'limiting') {
      const status = mood === 'refusing' ? 503 : 429
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(error))
    } else if (mood === 'lying') this.#lie(response)
    else if (stream === true) await this.#stream(response, mood === 'cutting', alone)
    else this.#whole(response, mood === 'cutting', alone)
  }

  /** In turn: a page, nothing, half an answer, an error as the first event. */
  #lie(response: ServerResponse): void {
    const lie = this.#lies++ % 4
    if (lie === 0) response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Welcome</html>')
    else if (lie === 1) response.writeHead(200).end()
    else if (lie === 2) response.writeHead(200, { 'content-type': 'application/json' }).end('{"id":"up')
    else {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(`data: ${JSON.stringify(error)}\n\n`)
    }
  }

  async #stream(response: ServerResponse, cutting: boolean, alone: boolean): Promise<void> {
    const event = (more: object) =>
      response.write(`data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', ...more })}\n\n`)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const content of ['one ', 'two ', 'three']) {
      event({ choices: [{ index: 0, delta: { role: 'assistant', content }, finish_reason: null }] })
      await sleep(10)
      if (response.destroyed) return
      if (cutting) {
        response.destroy()
        return
      }
    }
    event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })
    event({ choices: [], usage })
    if (!alone) this.answered.push(performance.now())
    response.end('data: [DONE]\n\n')
  }

  #whole(response: ServerResponse, cutting: boolean, alone: boolean): void {
    const message = { role: 'assistant', content: 'one two three' }
    const choices = [{ index: 0, message, finish_reason: 'stop' }]
    const body = JSON.stringify({ ...head, object: 'chat.completion', choices, usage })
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
    if (cutting) {
      response.write(body.slice(0, body.length / 2), () => response.destroy())
      return
    }
    if (!alone) this.answered.push(performance.now())
    response.end(body)
  }
}
