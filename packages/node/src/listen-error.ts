/** A server cannot listen on its address. */
export class ListenError extends Error {
  readonly host: string
  readonly port: number
  /** The system's name for it, such as `EADDRINUSE` for a port that another program uses. */
  readonly code: string | undefined
  /** The message without the function that it is of: `cannot listen on 127.0.0.1:8787: ...`. */
  readonly reason: string

  constructor(host: string, port: number, cause: NodeJS.ErrnoException) {
    const why =
      cause.code === 'EADDRINUSE' ? 'another program uses that port; give another one' : cause.message
    const reason = `cannot listen on ${host}:${port}: ${why}.`
    super(`serve: ${reason}`, { cause })
    this.name = 'ListenError'
    this.host = host
    this.port = port
    this.code = cause.code
    this.reason = reason
  }
}
