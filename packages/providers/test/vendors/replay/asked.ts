import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** A request in the protocol's words that asks what a recorded request asks of its vendor. */
export interface Asked {
  /** The vendor's model. */
  readonly model: string
  /** The path and query that it goes to. */
  readonly path: string
  /**
   * The request, without its model. A text `$from:/a/0/b` stands for what is there in the recorded request (JSON
   * pointer); in a longer text it stands at the end, and a text is put in its place.
   */
  readonly ask: Readonly<Record<string, unknown>>
  /** Options of the vendor. */
  readonly options?: Readonly<Record<string, unknown>>
  /**
   * Where what is sent differs from what was recorded, by path (`a.b[0].c`, `[*]` for each), and why. With `ours`,
   * what is sent there; it is absent there where `ours` is `null`.
   */
  readonly differs?: Readonly<Record<string, string | { readonly why: string; readonly ours: unknown }>>
}

const folder = new URL('asked/', import.meta.url)
const outside = 'inexpressible.json'

/** Every request that was written, by the name of the recording's: `vendor/file`. */
export const asked: ReadonlyMap<string, Asked> = new Map(
  filesIn('.')
    .filter(path => !path.endsWith(outside))
    .map(path => [path.slice(0, -'.json'.length), read(path) as Asked]),
)

/** Recorded requests that nothing in the protocol asks for, and why. */
export const inexpressible: ReadonlyMap<string, string> = new Map(
  filesIn('.')
    .filter(path => path.endsWith(outside))
    .flatMap(path =>
      Object.entries(read(path) as Record<string, string>).map(
        ([name, why]) => [path.slice(0, -outside.length) + name, why] as const,
      ),
    ),
)

function filesIn(path: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(new URL(path, folder), { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('.json'))
    .map(file => file.replaceAll('\\', '/'))
    .sort()
}

function read(path: string): unknown {
  return JSON.parse(readFileSync(new URL(path, folder), 'utf8'))
}
