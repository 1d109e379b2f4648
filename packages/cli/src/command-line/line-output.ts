/** What lines are written to: standard output. */
interface TextStream {
  write(text: string): unknown
}

/** Writes lines to a stream. */
export interface LineOutput {
  readonly print: (line: string) => void
  /** Writes what is held: call it before the process exits. */
  readonly flush: () => void
}

/**
 * Returns an output that writes the lines of one turn of the event loop together. A server that logs a line for each request
 * makes one system call for those that it answers in one turn, which takes 12 us otherwise.
 */
export function lineOutput(stream: TextStream): LineOutput {
  let held = ''
  const flush = () => {
    const text = held
    held = ''
    if (text !== '') stream.write(text)
  }
  return {
    print: line => {
      if (held === '') setImmediate(flush)
      held += `${line}\n`
    },
    flush,
  }
}
