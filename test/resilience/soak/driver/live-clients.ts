import { type Asked, ask, chat } from './ask.ts'
import { expectTold } from './expect-told.ts'
import type { World } from './world.ts'

const LF = 10

/** Clients of streams that go on until the upstream ends them. */
export class LiveClients {
  readonly #world: World
  readonly #streams: { readonly id: string; readonly asked: Asked }[] = []
  #lines = 0

  constructor(world: World) {
    this.#world = world
  }

  /** Opens a stream; resolves when its first bytes have come. */
  open(model = 'plain'): Promise<void> {
    const { id, port } = this.#world.next()
    return new Promise((resolve, reject) => {
      const onData = (piece: Buffer) => {
        for (let at = piece.indexOf(LF); at !== -1; at = piece.indexOf(LF, at + 1)) this.#lines++
        resolve()
      }
      const asked = ask({ port, id, body: chat(`live ${id}`, { model, stream: true }), onData })
      asked.told.then(({ status }) => reject(new Error(`A live stream ended with ${status}.`)))
      this.#streams.push({ id, asked })
    })
  }

  /** Opens many, some at a time. */
  async openAll(count: number): Promise<void> {
    for (let left = count; left > 0; left -= 50)
      await Promise.all(Array.from({ length: Math.min(50, left) }, () => this.open()))
  }

  /**
   * Waits for the end of all of them, once the upstream has ended them after `words` words: each has to be whole, and
   * together they have to have got every word.
   */
  async expectEnd(words: number): Promise<void> {
    for (const { id, asked } of this.#streams) {
      await this.#world.exchange('live stream', async () => {
        expectTold(await asked.told, 200, 'done')
        await this.#world.expectRecord(id, 'completed', 200)
      })
    }
    // Each event is two lines; beside its words a stream has an opening, an end and the end mark.
    const got = this.#lines / 2 - 3 * this.#streams.length
    if (got !== words) this.#world.failures.push(`live streams: got ${got} of ${words} words`)
  }
}
