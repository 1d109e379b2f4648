/** Takes bytes as they come and gives them out by line or by count; each read waits until it can be served. */
export class ByteReader {
  #chunks: Buffer[] = []
  #size = 0
  #ended = false
  #whole = true
  #wake: (() => void) | undefined

  /** Bytes that came and were not read yet. */
  get size(): number {
    return this.#size
  }

  push(chunk: Uint8Array): void {
    if (chunk.length === 0) return
    this.#chunks.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength))
    this.#size += chunk.length
    this.#wake?.()
  }

  /** Whether the bytes ended as their sender meant them to, or have not ended yet. */
  get whole(): boolean {
    return this.#whole
  }

  /** No byte will come any more: reads that wait get what is there. Only the first call counts. */
  end(whole = true): void {
    if (!this.#ended) this.#whole = whole
    this.#ended = true
    this.#wake?.()
  }

  /** The next `count` bytes, fewer only at the end. */
  async exactly(count: number): Promise<Buffer> {
    while (this.#size < count && !this.#ended) await this.#more()
    return this.#take(Math.min(count, this.#size))
  }

  /** The next line without its line end (LF or CRLF); undefined where the bytes end before one is whole. */
  async line(): Promise<string | undefined> {
    let seen = 0
    let length = 0
    for (;;) {
      for (; seen < this.#chunks.length; seen++) {
        const chunk = this.#chunks[seen]!
        const at = chunk.indexOf(10)
        if (at >= 0)
          return this.#take(length + at + 1)
            .toString('latin1')
            .replace(/\r?\n$/, '')
        length += chunk.length
      }
      if (this.#ended) return undefined
      await this.#more()
    }
  }

  /** All bytes until the end. */
  async rest(): Promise<Buffer> {
    while (!this.#ended) await this.#more()
    return this.#take(this.#size)
  }

  async #more(): Promise<void> {
    await new Promise<void>(resolve => {
      this.#wake = resolve
    })
    this.#wake = undefined
  }

  #take(count: number): Buffer {
    const taken: Buffer[] = []
    let missing = count
    let used = 0
    for (const chunk of this.#chunks) {
      if (missing === 0) break
      if (chunk.length > missing) {
        taken.push(chunk.subarray(0, missing))
        this.#chunks[used] = chunk.subarray(missing)
        missing = 0
        break
      }
      taken.push(chunk)
      missing -= chunk.length
      used++
    }
    this.#chunks.splice(0, used)
    this.#size -= count
    return Buffer.concat(taken, count)
  }
}
