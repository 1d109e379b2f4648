import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** A recorded request with its answer. */
export interface RecordedExchange {
  readonly name: string
  readonly request: Readonly<Record<string, unknown>>
  /** The text of the answer. */
  readonly answer: string
}

/** The recorded exchanges of a kind: `rerank`. None where the recordings are not there. */
export function recordedExchanges(kind: string): readonly RecordedExchange[] {
  const folder = new URL(`../../../../../shared/inbound/${kind}/`, import.meta.url)
  if (!existsSync(folder)) return []
  const suffix = '.request.json'
  return readdirSync(folder)
    .filter(file => file.endsWith(suffix))
    .map(file => {
      const name = file.slice(0, -suffix.length)
      const textOf = (end: string) => readFileSync(new URL(name + end, folder), 'utf8')
      return { name, request: JSON.parse(textOf(suffix)), answer: textOf('.json') }
    })
}
