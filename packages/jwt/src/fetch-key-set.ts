import { createLocalJWKSet, type JSONWebKeySet, type LocalJWKSet } from 'jose'

/** Issuers have a handful of keys. */
const maxKeys = 100
const maxBytes = 512 * 1024

/** Reads a key set from its address, within a time in milliseconds. Rejects for anything but a set with a key. */
export async function fetchKeySet(url: URL, ms: number, fetchIt: typeof fetch): Promise<LocalJWKSet> {
  const controller = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  // Not left to the signal alone: a `fetch` of the user's making may pass it over.
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`The key set did not come within ${ms} milliseconds (timeoutMs).`))
      controller.abort()
    }, ms)
  })
  try {
    return keySetOf(await Promise.race([textAt(url, controller.signal, fetchIt), late]))
  } finally {
    clearTimeout(timer)
  }
}

async function textAt(url: URL, signal: AbortSignal, fetchIt: typeof fetch): Promise<string> {
  let response: Response
  try {
    const headers = { accept: 'application/jwk-set+json, application/json' }
    response = await fetchIt(url.href, { headers, redirect: 'manual', signal })
  } catch (error) {
    throw new Error(`The key set could not be fetched${codeOf(error)}.`)
  }
  if (response.status === 200) return boundedText(response)
  await response.body?.cancel().catch(() => {})
  throw new Error(`The key set could not be fetched: its server answered ${response.status}.`)
}

async function boundedText(response: Response): Promise<string> {
  const reader = response.body?.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for (;;) {
    const { done, value } = (await reader?.read().catch(failed)) ?? { done: true, value: undefined }
    if (done) return text + decoder.decode()
    bytes += value.length
    if (bytes > maxBytes) {
      await reader?.cancel().catch(() => {})
      throw new Error(`The key set has more than ${maxBytes} bytes.`)
    }
    text += decoder.decode(value, { stream: true })
  }
}

function keySetOf(text: string): LocalJWKSet {
  try {
    const set = JSON.parse(text) as JSONWebKeySet
    const found = createLocalJWKSet(set)
    if (set.keys.length > 0 && set.keys.length <= maxKeys) return found
  } catch {
    // What stands there is told to nobody.
  }
  throw new Error(`What stands at the address of the key set is no set of 1 to ${maxKeys} keys.`)
}

function failed(error: unknown): never {
  throw new Error(`The key set broke off${codeOf(error)}.`)
}

/** What the system calls it, without the host that its message names. */
function codeOf(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : undefined
  return typeof code === 'string' && /^[A-Z0-9_]+$/.test(code) ? `: ${code}` : ''
}
