import type { GatewayResponse } from '../contracts/host.ts'

// Tuned for the bench row `node`: checked names of headers are remembered.

/** Headers by lower-case name. */
export type AnswerHeaders = Record<string, string>

/**
 * An answer of the gateway's own. Its headers are kept as they are written, names and values by turns; the record of
 * them is made for who asks for it.
 */
export class PlainResponse implements GatewayResponse {
  readonly status: number
  readonly body: GatewayResponse['body']
  readonly headerList: readonly string[] | undefined
  readonly #list: readonly string[]

  constructor(status: number, body: GatewayResponse['body'], headers: HeaderList) {
    this.status = status
    this.body = body
    this.#list = headers.list
    this.headerList = headers.plain ? headers.list : undefined
  }

  get headers(): AnswerHeaders {
    const headers: AnswerHeaders = {}
    for (let at = 0; at < this.#list.length; at += 2) headers[this.#list[at]!] = this.#list[at + 1]!
    return headers
  }
}

/** Headers while they are put together. */
export class HeaderList {
  readonly list: string[]
  /** Whether names are in lower case and values printable ASCII: such headers need no further look. */
  plain: boolean
  /** So many places are of names that may be said again. */
  readonly #own: number

  /** What every answer has; the id may be of the user's making. */
  constructor(contentType: string, cacheControl: string, requestId: string) {
    this.list = [
      'content-type',
      contentType,
      'x-request-id',
      requestId,
      'cache-control',
      cacheControl,
      'x-content-type-options',
      'nosniff',
      'vary',
      'authorization',
    ]
    this.#own = this.list.length
    this.plain = isPlain(requestId)
  }

  /**
   * Adds what others say, which stands before what is said here, less what HTTP cannot carry: that must not cost the
   * caller the answer.
   */
  add(more: Readonly<AnswerHeaders>): void {
    const names = Object.keys(more)
    for (let at = 0; at < names.length; at++) {
      const name = names[at]!
      const value: unknown = more[name]
      if (typeof value !== 'string' && typeof value !== 'number') continue
      const text = String(value)
      const plainName = isPlainName(name, at)
      if (plainName && isPlain(text)) this.#put(name, text)
      else if (headerName.test(name) && !illegal.test(text)) {
        this.plain = false
        this.#put(name, text)
      }
    }
  }

  #put(name: string, value: string): void {
    const { list } = this
    for (let at = 0; at < this.#own; at += 2) {
      if (list[at] === name) {
        list[at + 1] = value
        return
      }
    }
    list.push(name, value)
  }
}

/** Names that are plain, each at its place: nearly all answers of a process have the same, in the same order. */
const known: string[] = []
const mostKnown = 100

function isPlainName(name: string, at: number): boolean {
  if (known[at] === name) return true
  const plain = /^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name) && name !== 'set-cookie'
  if (plain && at < mostKnown) known[at] = name
  return plain
}

/** Most are a few digits: for them a loop costs less than an expression. */
function isPlain(value: string): boolean {
  for (let at = 0; at < value.length; at++) {
    const code = value.charCodeAt(at)
    if (code < 0x20 || code > 0x7e) return false
  }
  return true
}

const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
/** Beside tabs and what is printable of Latin-1. */
const illegal = /[^\t\x20-\x7e\x80-\xff]/
