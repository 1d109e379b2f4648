import { randomBytes } from 'node:crypto'

/** A vendor whose key may be in the environment, as `OPENAI_API_KEY` and so on. */
export type VendorName = 'openai' | 'anthropic' | 'gemini'

/** How a vendor is reached. */
export interface Access {
  readonly apiKey: string
  readonly baseURL: string | undefined
}

/** What the environment says, checked. */
export interface Settings {
  readonly host: string
  readonly port: number
  /** The caller's key, and whether it was made for this run. */
  readonly key: string
  readonly minted: boolean
  /** How each vendor is reached for which there is a key. */
  readonly vendors: Partial<Record<VendorName, Access>>
}

/**
 * Reads HOST, PORT, SLUICE_API_KEY, and of each vendor its key and base URL, such as ANTHROPIC_API_KEY and
 * ANTHROPIC_BASE_URL. An empty variable counts as unset.
 */
export function readSettings(env: NodeJS.ProcessEnv): Settings {
  const given = env.SLUICE_API_KEY || undefined
  if (given !== undefined && !/^[\x21-\x7e]+$/.test(given)) {
    throw new TypeError(
      'SLUICE_API_KEY has characters that a key cannot have. Use visible ASCII characters without spaces.',
    )
  }
  return {
    host: env.HOST || '127.0.0.1',
    port: readPort(env.PORT || '8787'),
    key: given ?? `sk-sluice-${randomBytes(24).toString('base64url')}`,
    minted: given === undefined,
    vendors: {
      ...access('openai', env.OPENAI_API_KEY, env.OPENAI_BASE_URL),
      ...access('anthropic', env.ANTHROPIC_API_KEY, env.ANTHROPIC_BASE_URL),
      ...access('gemini', env.GEMINI_API_KEY, env.GEMINI_BASE_URL),
    },
  }
}

function access(
  name: VendorName,
  apiKey: string | undefined,
  baseURL: string | undefined,
): Partial<Record<VendorName, Access>> {
  return apiKey ? { [name]: { apiKey, baseURL: baseURL || undefined } } : {}
}

function readPort(text: string): number {
  const port = Number(text)
  if (/^\d+$/.test(text) && port <= 65_535) return port
  throw new TypeError(`PORT is '${text}'. Set it to a whole number from 0 to 65535; 0 takes a free port.`)
}
