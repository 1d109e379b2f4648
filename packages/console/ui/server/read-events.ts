/** One server-sent event, and its text as it came. */
export interface ReadEvent {
  readonly name: string
  readonly data: string
  readonly raw: string
}

/** Reads server-sent events as they come. `onBytes` is called for each read, also of a comment. */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  onBytes: () => void = () => {},
): AsyncGenerator<ReadEvent, void, undefined> {
  const reader = body.pipeThrough(decoder()).getReader()
  let text = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      onBytes()
      text += value
      const blocks = text.split(/\r?\n\r?\n/)
      text = blocks.pop() ?? ''
      for (const block of blocks) {
        const event = eventOf(block)
        if (event !== undefined) yield event
      }
    }
  } finally {
    reader.cancel().catch(() => {})
  }
}

/** `TextDecoderStream` has a wider input than a body gives. */
function decoder(): ReadableWritablePair<string, Uint8Array> {
  const { readable, writable } = new TextDecoderStream()
  return { readable, writable: writable as WritableStream<Uint8Array> }
}

function eventOf(block: string): ReadEvent | undefined {
  let name = 'message'
  const data: string[] = []
  for (const line of block.split(/\r?\n/)) {
    if (line.startsWith('data:')) data.push(line.slice(5).replace(/^ /, ''))
    else if (line.startsWith('event:')) name = line.slice(6).trim()
  }
  return data.length === 0 ? undefined : { name, data: data.join('\n'), raw: block }
}
