/** Where newer prices come from. */
export interface PriceRefreshOptions {
  /**
   * The URL of a table in the format of @pydantic/genai-prices (`data.json`): https, or http on this machine. Or a function that
   * returns its text, from a file for example.
   */
  readonly from: string | URL | ((signal: AbortSignal) => string | Promise<string>)
  /** How often the table is loaded, in milliseconds: with the first request after this time. Default 86,400,000, a day. */
  readonly intervalMs?: number | undefined
  /** Timeout of loading it, in milliseconds. Default 10,000. */
  readonly timeoutMs?: number | undefined
  /** Maximum size of the table, in bytes. Default 16,777,216. */
  readonly maxBytes?: number | undefined
  /** Replaces `fetch` of the platform. */
  readonly fetch?: typeof fetch | undefined
}

/** Returns the URL of a table, which decides what callers are charged, or `undefined` for any that is not allowed. */
export function tableUrl(given: string | URL): URL | undefined {
  if (!URL.canParse(String(given))) return undefined
  const url = new URL(String(given))
  const isLocal = /^(?:localhost|\[::1\]|127\.\d+\.\d+\.\d+)$/.test(url.hostname)
  const isSafe = url.protocol === 'https:' || (url.protocol === 'http:' && isLocal)
  return isSafe && url.username === '' && url.password === '' ? url : undefined
}

/** Loads the text of a table. Rejects if it cannot be loaded in time, or is too large; the message names no host. */
export async function loadTable(options: PriceRefreshOptions, closing: AbortSignal): Promise<string> {
  const { from, timeoutMs = 10_000, maxBytes = 16_777_216, fetch: fetchIt = fetch } = options
  const controller = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  let close = () => {}
  // Not left to the signal alone: a function of the user's may ignore it.
  const late = new Promise<never>((_, reject) => {
    const end = (message: string) => {
      reject(new Error(message))
      controller.abort()
    }
    timer = setTimeout(
      () => end(`Loading the prices timed out after ${timeoutMs} ms (timeoutMs).`),
      timeoutMs,
    )
    close = () => end('The prices are closed.')
    closing.addEventListener('abort', close)
  })
  try {
    return await Promise.race([textOf(from, maxBytes, controller.signal, fetchIt), late])
  } finally {
    clearTimeout(timer)
    closing.removeEventListener('abort', close)
  }
}

async function textOf(
  from: PriceRefreshOptions['from'],
  maxBytes: number,
  signal: AbortSignal,
  fetchIt: typeof fetch,
): Promise<string> {
  if (typeof from !== 'function') return fetchText(String(from), maxBytes, signal, fetchIt)
  let text: string
  try {
    text = await from(signal)
  } catch (error) {
    throw new Error(`The prices could not be loaded${codeOf(error)}.`)
  }
  if (typeof text !== 'string') throw new Error('The prices could not be loaded: `from` returned no text.')
  if (new TextEncoder().encode(text).length > maxBytes) throw tooLarge(maxBytes)
  return text
}

async function fetchText(
  url: string,
  maxBytes: number,
  signal: AbortSignal,
  fetchIt: typeof fetch,
): Promise<string> {
  let response: Response
  try {
    response = await fetchIt(url, { headers: { accept: 'application/json' }, redirect: 'manual', signal })
  } catch (error) {
    throw new Error(`The prices could not be loaded${codeOf(error)}.`)
  }
  if (response.status === 200) return boundedText(response, maxBytes)
  await response.body?.cancel().catch(() => {})
  throw new Error(`The prices could not be loaded: the server responded with ${response.status}.`)
}

async function boundedText(response: Response, maxBytes: number): Promise<string> {
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
      throw tooLarge(maxBytes)
    }
    text += decoder.decode(value, { stream: true })
  }
}

function tooLarge(maxBytes: number): Error {
  return new Error(`The table of prices has more than ${maxBytes} bytes (maxBytes).`)
}

function failed(error: unknown): never {
  throw new Error(`The prices could not be loaded${codeOf(error)}.`)
}

/** The system's code, without the host that its message names. */
function codeOf(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : undefined
  return typeof code === 'string' && /^[A-Z0-9_]+$/.test(code) ? `: ${code}` : ''
}
