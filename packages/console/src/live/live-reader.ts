import type { LiveEvents, RequestRow, TargetChange } from '../api.ts'

/** The interval between two writes. Changes in between are sent together, and each request or target only once. */
const minIntervalMs = 50
/** So many requests, and as many targets, may wait for a reader. */
const maxQueued = 256
/** A reader that misses so many heartbeats is disconnected. */
const maxMissedBeats = 4

const encoder = new TextEncoder()

/** One who listens: of each request and target that changed, the newest state waits until it is read. */
export class LiveReader {
  readonly stream: ReadableStream<Uint8Array>
  readonly #onClose: () => void
  readonly #requests = new Map<string, RequestRow>()
  readonly #targets = new Map<string, TargetChange>()
  #lost = 0
  #missed = 0
  #over = false
  #timer: ReturnType<typeof setTimeout> | undefined
  #controller!: ReadableStreamDefaultController<Uint8Array>

  /** `onClose` is called once, when the reader disconnects or is disconnected. */
  constructor(onClose: () => void) {
    this.#onClose = onClose
    this.stream = new ReadableStream<Uint8Array>({
      start: controller => {
        this.#controller = controller
        controller.enqueue(encoder.encode(': live\n\n'))
      },
      pull: () => this.#wake(),
      cancel: () => this.#end(),
    })
  }

  request(row: RequestRow): void {
    this.#queue(this.#requests, row.id, row)
  }

  target(change: TargetChange): void {
    this.#queue(this.#targets, JSON.stringify([change.provider, change.model]), change)
  }

  /** Says that the connection stands. */
  beat(): void {
    if (!this.#isWritable) {
      if (++this.#missed === maxMissedBeats) this.close()
      return
    }
    this.#missed = 0
    this.#controller.enqueue(encoder.encode(': beat\n\n'))
  }

  close(): void {
    if (this.#over) return
    this.#end()
    this.#controller.close()
  }

  #queue<T>(waiting: Map<string, T>, id: string, value: T): void {
    if (this.#over) return
    // The newest last: where there are too many, the oldest is left out.
    waiting.delete(id)
    waiting.set(id, value)
    if (waiting.size > maxQueued) {
      for (const oldest of waiting.keys()) {
        waiting.delete(oldest)
        break
      }
      this.#lost++
    }
    this.#wake()
  }

  get #isWritable(): boolean {
    return (this.#controller.desiredSize ?? 0) > 0
  }

  /** Writes what is queued, if the reader can take it and the last write is long enough ago. */
  #wake(): void {
    const waits = this.#requests.size > 0 || this.#targets.size > 0 || this.#lost > 0
    if (!waits || this.#over || this.#timer !== undefined || !this.#isWritable) return
    let text = ''
    for (const row of this.#requests.values()) text += eventOf('request', row)
    for (const change of this.#targets.values()) text += eventOf('route', change)
    if (this.#lost > 0) text += eventOf('lost', { changes: this.#lost })
    this.#requests.clear()
    this.#targets.clear()
    this.#lost = 0
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#wake()
    }, minIntervalMs)
    this.#controller.enqueue(encoder.encode(text))
  }

  #end(): void {
    if (this.#over) return
    this.#over = true
    clearTimeout(this.#timer)
    this.#requests.clear()
    this.#targets.clear()
    this.#onClose()
  }
}

function eventOf<Name extends keyof LiveEvents>(name: Name, data: LiveEvents[Name]): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`
}
