import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { inject } from 'vitest'

/** A request in a dialect as it was recorded, with the vendor's answer. */
export interface Exchange {
  /** The name of its files, without their endings. */
  readonly name: string
  /** The JSON text of the request. */
  readonly text: string
  readonly body: ExchangeBody
  /** Below the base path: `/messages`. */
  readonly path: string
  /** `undefined` where only the request was recorded. */
  readonly answer: Answer | undefined
}

/** An exchange with the vendor's answer. */
export type AnsweredExchange = Exchange & { readonly answer: Answer }

/** The members of a request that tests read. */
export interface ExchangeBody {
  readonly model: string
  readonly stream?: boolean
  readonly [name: string]: unknown
}

/** A vendor's answer, byte for byte. */
export interface Answer {
  readonly kind: 'whole' | 'stream' | 'error'
  readonly status: number
  readonly contentType: string
  readonly bytes: Uint8Array
}

const recordings = new URL('../../../../shared/inbound/', import.meta.url)
const suffix = '.request.json'

/** Whether the recordings are here: they are no part of the project. */
export const present = existsSync(recordings)

/** What the title of a skipped test says. */
export const skipped = '(skipped where ../shared/inbound is absent)'

/** Returns every recorded exchange of a dialect, by name. None where the recordings are not here. */
export function readExchanges(
  dialect: 'messages' | 'responses',
  pathOf: (body: ExchangeBody, answer: Answer | undefined) => string,
): readonly Exchange[] {
  if (!present) return []
  const folder = new URL(`${dialect}/`, recordings)
  const files = readdirSync(folder).sort()
  const answers = new Map(
    files
      .filter(file => !file.endsWith(suffix))
      .map(file => [file.replace(/(?:\.\d{3})?\.(?:json|sse)$/, ''), file]),
  )
  return files
    .filter(file => file.endsWith(suffix))
    .map(request => {
      const name = request.slice(0, -suffix.length)
      const text = readFileSync(new URL(request, folder), 'utf8')
      const body = JSON.parse(text) as ExchangeBody
      const file = answers.get(name)
      const answer = file === undefined ? undefined : answerOf(new URL(file, folder))
      return { name, text, body, path: pathOf(body, answer), answer }
    })
}

/** Returns those that have an answer of a kind, with their names, as the rows of `it.each`. */
export function answeredBy(
  exchanges: readonly Exchange[],
  kind: Answer['kind'],
): readonly (readonly [string, AnsweredExchange])[] {
  return exchanges
    .flatMap(exchange => (exchange.answer ? [{ ...exchange, answer: exchange.answer }] : []))
    .filter(({ answer }) => answer.kind === kind)
    .map(exchange => [exchange.name, exchange])
}

/** Returns all with the thorough tests, and a third with the quick ones. */
export function sampleOf<Item>(all: readonly Item[]): readonly Item[] {
  return inject('exhaustive') ? all : all.filter((_, index) => index % 3 === 0)
}

function answerOf(file: URL): Answer {
  const bytes = readFileSync(file)
  const [, status] = /\.(\d{3})\.json$/.exec(file.pathname) ?? []
  if (file.pathname.endsWith('.sse'))
    return { kind: 'stream', status: 200, contentType: 'text/event-stream; charset=utf-8', bytes }
  const kind = status === undefined ? 'whole' : 'error'
  return { kind, status: Number(status ?? 200), contentType: 'application/json', bytes }
}
