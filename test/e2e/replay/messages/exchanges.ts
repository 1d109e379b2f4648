import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** A request in the Messages API as it was recorded, with the vendor's answer. */
export interface Exchange {
  /** The name of its files, without their endings. */
  readonly name: string
  /** The JSON text of the request. */
  readonly text: string
  readonly body: MessagesBody
  /** Below the base path: `/messages`. */
  readonly path: '/messages' | '/messages/count_tokens'
  /** `undefined` where only the request was recorded. */
  readonly answer: Answer | undefined
}

/** The members of a request that tests read. */
export interface MessagesBody {
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

const folder = new URL('../../../../../shared/inbound/messages/', import.meta.url)
const suffix = '.request.json'

/** Whether the recordings are here: they are no part of the project. */
export const present = existsSync(folder)

/** What the title of a skipped test says. */
export const skipped = '(skipped where ../shared/inbound is absent)'

/** Every recorded exchange, by name. */
export const exchanges: readonly Exchange[] = present ? readAll() : []

function readAll(): Exchange[] {
  const files = readdirSync(folder).sort()
  const answers = new Map(
    files
      .filter(file => !file.endsWith(suffix))
      .map(file => [file.replace(/(?:\.\d{3})?\.(?:json|sse)$/, ''), file]),
  )
  return files
    .filter(file => file.endsWith(suffix))
    .map(file => {
      const name = file.slice(0, -suffix.length)
      const text = readFileSync(new URL(file, folder), 'utf8')
      const body = JSON.parse(text) as MessagesBody
      const answer = answers.get(name)
      return {
        name,
        text,
        body,
        // Only a request for a count has no bound.
        path: body.max_tokens === undefined ? '/messages/count_tokens' : '/messages',
        answer: answer === undefined ? undefined : answerOf(answer),
      }
    })
}

function answerOf(file: string): Answer {
  const bytes = readFileSync(new URL(file, folder))
  const [, status] = /\.(\d{3})\.json$/.exec(file) ?? []
  if (file.endsWith('.sse'))
    return { kind: 'stream', status: 200, contentType: 'text/event-stream; charset=utf-8', bytes }
  const kind = status === undefined ? 'whole' : 'error'
  return { kind, status: Number(status ?? 200), contentType: 'application/json', bytes }
}
