import type { GatewayResponse } from '../contracts/host.ts'

/** Headers by lower-case name. */
export type AnswerHeaders = Record<string, string>

/**
 * A response of the gateway. Its headers are a flat list of names and values, as they are written; the record of them is
 * created on demand.
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

/** Builds the headers of a response. */
export class HeaderList {
  readonly list: string[]
  /** Whether all names are in lower case and all values printable ASCII: such headers need no further validation. */
  plain: boolean
  /** The length of the part of the list with the default headers, which `add` may replace. */
  readonly #own: number

  /** Sets the headers of every response. The id may come from the user's `generateId`. */
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
   * Adds headers of policies, which replace the defaults. Headers that are invalid in HTTP are omitted, because the response
   * must not fail for them.
   */
  add(more: Readonly<AnswerHeaders>): void {
    const names = Object.keys(more)
    for (let at = 0; at < names.length; at++) {
      const name = names[at]!
      const value: unknown = more[name]
      if (typeof value !== 'string' && typeof value !== 'number') continue
      const text = String(value)
      if (isPlainName(name) && isPlain(text)) this.#put(name, text)
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

const plainName = /^[!#$%&'*+.^_`|~0-9a-z-]+$/

function isPlainName(name: string): boolean {
  return plainName.test(name) && name !== 'set-cookie'
}

/** Most values are a few digits, for which a loop is faster than a regular expression. */
function isPlain(value: string): boolean {
  for (let at = 0; at < value.length; at++) {
    const code = value.charCodeAt(at)
    if (code < 0x20 || code > 0x7e) return false
  }
  return true
}

const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
/** Anything but tabs and printable Latin-1. */
const illegal = /[^\t\x20-\x7e\x80-\xff]/
