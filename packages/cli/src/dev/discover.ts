import { type LocalServerKind, localServerKinds, modelsAt } from './local-server.ts'
import { ollamaOrigin } from './ollama-origin.ts'

/** A server of this machine that answered as itself. */
export interface LocalServer {
  readonly name: LocalServerKind['name']
  readonly title: string
  /** Where it listens: `http://127.0.0.1:11434`. */
  readonly origin: string
  /** Names that callers can use, as the server has them. */
  readonly models: readonly string[]
  /** How many of its models have a name that no caller could use. */
  readonly unusable: number
}

/** Where to look, and how long to wait for an answer there, in milliseconds. */
export interface Lookup {
  readonly kind: LocalServerKind
  readonly origin: string
  readonly timeoutMs: number
}

const timeoutMs = 300
/** Somebody has said that it is there: it is given more time. */
const namedTimeoutMs = 2_000

/** Returns where local servers may listen, and a warning about OLLAMA_HOST if there is one. */
export function lookups(ollamaHost: string | undefined): {
  readonly list: readonly Lookup[]
  readonly fault: string | undefined
} {
  const named = ollamaHost === undefined || ollamaHost.trim() === '' ? undefined : ollamaOrigin(ollamaHost)
  const list = localServerKinds.flatMap(kind => {
    if (kind.name !== 'ollama' || named === undefined) {
      return [{ kind, origin: `http://127.0.0.1:${kind.port}`, timeoutMs }]
    }
    return 'origin' in named ? [{ kind, origin: named.origin, timeoutMs: namedTimeoutMs }] : []
  })
  return { list, fault: named !== undefined && 'fault' in named ? named.fault : undefined }
}

/** Calls all addresses at once, without a key. One that does not answer in time, or not as expected, is left out. */
export async function discover(
  list: readonly Lookup[],
  signal: AbortSignal,
): Promise<readonly LocalServer[]> {
  const found = await Promise.all(
    list.map(async ({ kind, origin, timeoutMs }): Promise<readonly LocalServer[]> => {
      const ids = await modelsAt(origin, kind, AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]))
      if (ids === undefined) return []
      const models = [...new Set(ids.filter(isUsable))]
      const unusable = ids.filter(id => !isUsable(id)).length
      return [{ name: kind.name, title: kind.title, origin, models, unusable }]
    }),
  )
  return found.flat()
}

/** As names behind a pattern have to be, which callers may ask for. */
function isUsable(id: string): boolean {
  return /^[\w.:/@+~=,-]{1,200}$/.test(id) && !id.split('/').some(part => part === '.' || part === '..')
}
