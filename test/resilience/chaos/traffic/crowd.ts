import { setTimeout as sleep } from 'node:timers/promises'
import { ask } from '../../soak/driver/ask.ts'
import { type ClientEnd, clientEnd, tokensIn } from './client-end.ts'
import { bodyOf, type Errand, errandOf } from './errand.ts'

/** What a client wrote down of its request. */
export interface ClientLog {
  readonly errand: Errand
  /** Which process of the gateway was asked, counted from 0. */
  readonly generation: number
  readonly bodyBytes: number
  /** How many tokens came. */
  readonly tokens: number
  readonly end: ClientEnd
  /** Milliseconds of `performance.now()`. */
  readonly endedAt: number
}

/** Where to ask at the moment. */
export interface Address {
  readonly port: number
  readonly generation: number
}

/** So many clients, each of which asks one thing after the other; whoever is refused tries something else. */
export class Crowd implements AsyncDisposable {
  readonly logs = new Map<string, ClientLog>()
  /** `undefined` while nobody is there to be asked. */
  address: Address | undefined
  readonly #random: () => number
  readonly #longMs: number
  readonly #clients: Promise<void>[]
  #asked = 0
  #live = 0
  #going = true

  constructor(size: number, random: () => number, longMs: number) {
    this.#random = random
    this.#longMs = longMs
    this.#clients = Array.from({ length: size }, () => this.#client())
  }

  /** Requests that are under way and have begun to be answered. */
  get live(): number {
    return this.#live
  }

  /** Nothing more is asked; resolves when everything has ended. */
  async stop(): Promise<void> {
    this.#going = false
    await Promise.all(this.#clients)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }

  async #client(): Promise<void> {
    while (this.#going) {
      const { address } = this
      if (address === undefined) await sleep(20)
      else {
        const { how } = await this.#ask(address)
        if (how !== 'done') await sleep(50 + 150 * this.#random())
      }
    }
  }

  async #ask({ port, generation }: Address): Promise<ClientEnd> {
    const errand = errandOf(`m${++this.#asked}`, this.#random, this.#longMs)
    const { mark, stream, leavesAfter } = errand
    const body = bodyOf(errand)
    const pieces: Buffer[] = []
    let came = 0
    const asked = ask({
      port,
      id: mark,
      key: mark,
      body,
      onData: piece => {
        if (came++ === 0) this.#live++
        pieces.push(piece)
        if (leavesAfter !== undefined && came > leavesAfter) asked.leave()
      },
    })
    const told = await asked.told
    if (came > 0) this.#live--
    const received = Buffer.concat(pieces).toString()
    const end = clientEnd({ ...told, body: received }, stream)
    this.logs.set(mark, {
      errand,
      generation,
      bodyBytes: Buffer.byteLength(body),
      tokens: tokensIn(received),
      end,
      endedAt: performance.now(),
    })
    return end
  }
}
