import { Agent, get } from 'node:http'

/** A program that runs models on this machine and speaks the chat-completions protocol. */
export interface LocalServerKind {
  /** As `providers` of a configuration names it. */
  readonly name: 'ollama' | 'llamacpp' | 'lmstudio' | 'vllm'
  /** For people. */
  readonly title: string
  readonly port: number
  /** The ids of its models; `undefined` where something else answers, or nothing. */
  readonly models: (get: (path: string) => Promise<unknown>) => Promise<readonly string[] | undefined>
}

/** In the order in which they are shown. Their ports are often others' too: each has to answer as itself. */
export const localServerKinds: readonly LocalServerKind[] = [
  {
    name: 'ollama',
    title: 'Ollama',
    port: 11434,
    models: async get => {
      const version = await get('/api/version')
      if (!isObject(version) || typeof version.version !== 'string') return undefined
      const list = await get('/v1/models')
      // Without a model it answers with `null` for a list.
      if (isObject(list) && list.object === 'list' && list.data === null) return []
      return cardsOf(list)?.map(({ id }) => id)
    },
  },
  {
    name: 'llamacpp',
    title: 'llama.cpp',
    port: 8080,
    models: async get => {
      const health = await get('/health')
      if (!isObject(health) || health.status !== 'ok') return undefined
      return cardsOf(await get('/v1/models'))?.map(({ id }) => id)
    },
  },
  {
    name: 'lmstudio',
    title: 'LM Studio',
    port: 1234,
    models: async get => cardsOf(await get('/v1/models'))?.map(({ id }) => id),
  },
  {
    name: 'vllm',
    title: 'vLLM',
    port: 8000,
    models: async get => {
      const cards = cardsOf(await get('/v1/models'))
      return cards?.every(({ owner }) => owner === 'vllm') ? cards.map(({ id }) => id) : undefined
    },
  },
]

/** Asks what listens at an origin for its models. Never rejects. */
export function modelsAt(
  origin: string,
  kind: LocalServerKind,
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  return kind.models(path => getJson(`${origin}${path}`, signal))
}

interface Card {
  readonly id: string
  readonly owner: unknown
}

/** Of a list in the protocol's shape; `undefined` for anything else. */
function cardsOf(value: unknown): readonly Card[] | undefined {
  if (!isObject(value) || value.object !== 'list' || !Array.isArray(value.data)) return undefined
  const cards = value.data.flatMap((card: unknown) =>
    isObject(card) && typeof card.id === 'string' ? [{ id: card.id, owner: card.owned_by }] : [],
  )
  return cards.length === value.data.length ? cards : undefined
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

/** More than any list of models takes. */
const maxBytes = 1_048_576

/**
 * What a server of this machine answers with, where that is a 200 in JSON; `undefined` for anything else, and where the
 * signal comes first. It sends no credentials, follows no redirect, and goes through no proxy.
 */
function getJson(url: string, signal: AbortSignal): Promise<unknown> {
  return new Promise(resolve => {
    const nothing = () => resolve(undefined)
    if (signal.aborted) return nothing()
    // An agent of its own: the global one may use a proxy.
    const agent = new Agent()
    const request = get(url, { agent, signal, headers: { accept: 'application/json' } }, response => {
      if (response.statusCode !== 200) {
        response.destroy()
        return nothing()
      }
      const parts: Buffer[] = []
      let bytes = 0
      response.on('data', (part: Buffer) => {
        bytes += part.byteLength
        parts.push(part)
        if (bytes > maxBytes) response.destroy()
      })
      response.on('end', () => resolve(parsed(Buffer.concat(parts).toString('utf8'))))
      response.on('close', nothing)
      response.on('error', nothing)
    })
    request.on('error', nothing)
  })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
