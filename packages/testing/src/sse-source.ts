/** What `readSse` reads: a response of `fetch`, a body, or its bytes or text. */
export type SseSource =
  | {
      readonly body: AsyncIterable<Uint8Array> | null
      readonly headers?: { get(name: string): string | null }
    }
  | AsyncIterable<Uint8Array>
  | Uint8Array
  | string

/** The bytes of a source. Throws, quoting the body, where a response is not `text/event-stream`. */
export async function* bytesIn(source: SseSource): AsyncGenerator<Uint8Array> {
  if (typeof source === 'string') yield Buffer.from(source, 'utf8')
  else if (source instanceof Uint8Array) yield source
  else if (Symbol.asyncIterator in source) yield* source
  else {
    const type = source.headers?.get('content-type')
    if (type !== undefined && !/^text\/event-stream *(;|$)/i.test(type ?? '')) {
      const body: Uint8Array[] = []
      for await (const chunk of source.body ?? []) body.push(chunk)
      const text = Buffer.concat(body).toString('utf8').slice(0, 300)
      throw new Error(
        `content-type: got ${type ?? 'none'}, expected text/event-stream; the body is ${JSON.stringify(text)}`,
      )
    }
    if (source.body) yield* source.body
  }
}
