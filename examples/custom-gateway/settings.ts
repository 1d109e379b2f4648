import { randomBytes } from 'node:crypto'

/** What the environment says, checked. */
export interface Settings {
  readonly host: string
  readonly port: number
  /** The caller's key, and whether it was made for this run. */
  readonly key: string
  readonly minted: boolean
  /** How the real vendor is reached, where there is a key for it. */
  readonly openai: { readonly apiKey: string; readonly baseURL: string | undefined } | undefined
}

/** Reads HOST, PORT, SLUICE_API_KEY, OPENAI_API_KEY and OPENAI_BASE_URL. An empty variable counts as unset. */
export function readSettings(env: NodeJS.ProcessEnv): Settings {
  const given = env.SLUICE_API_KEY || undefined
  if (given !== undefined && !/^[\x21-\x7e]+$/.test(given)) {
    throw new TypeError('SLUICE_API_KEY has to be of visible ASCII characters, without spaces.')
  }
  const apiKey = env.OPENAI_API_KEY || undefined
  return {
    host: env.HOST || '127.0.0.1',
    port: readPort(env.PORT || '8787'),
    key: given ?? `sk-sluice-${randomBytes(24).toString('base64url')}`,
    minted: given === undefined,
    openai: apiKey === undefined ? undefined : { apiKey, baseURL: env.OPENAI_BASE_URL || undefined },
  }
}

function readPort(text: string): number {
  const port = Number(text)
  if (/^\d+$/.test(text) && port <= 65_535) return port
  throw new TypeError(`PORT is '${text}'. Set it to a whole number from 0 to 65535; 0 takes a free port.`)
}
