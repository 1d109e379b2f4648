/** Where OLLAMA_HOST says that Ollama is: an origin of this machine, or why it is not asked there. */
export type OllamaOrigin = { readonly origin: string } | { readonly fault: string }

/**
 * Reads OLLAMA_HOST as Ollama does: `host`, `host:port`, `:port` or a URL; the address that means "all of them" is this
 * machine. What is not on this machine is not asked.
 */
export function ollamaOrigin(value: string): OllamaOrigin {
  const text = value.trim()
  const scheme = /^(\w+):\/\//.exec(text)?.[1]?.toLowerCase()
  if (scheme !== undefined && scheme !== 'http') return { fault: 'OLLAMA_HOST is not an http URL.' }
  const rest = (scheme === undefined ? text : text.slice('http://'.length)).replace(/\/+$/, '')
  const port = scheme === undefined ? 11434 : 80
  const url = `http://${withHost(rest)}`
  if (!URL.canParse(url)) return { fault: 'OLLAMA_HOST is not a valid address.' }
  const { hostname, port: given, pathname, username, password, search, hash } = new URL(url)
  if (pathname !== '/' || `${username}${password}${search}${hash}` !== '') {
    return { fault: 'OLLAMA_HOST must be a host and a port only.' }
  }
  const host = hostname === '0.0.0.0' ? '127.0.0.1' : hostname === '[::]' ? '[::1]' : hostname
  if (!isLoopback(host)) {
    return { fault: 'OLLAMA_HOST is on another machine. To use it, add it to a configuration: sluice init.' }
  }
  // A URL leaves out the port that its scheme has by default.
  const named = given || (/:80$/.test(rest) ? '80' : String(port))
  return { origin: `http://${host}:${named}` }
}

/** `:11434` is a port of this machine, and `::1` an address that wants brackets. */
function withHost(text: string): string {
  if (text === '' || /^:\d*$/.test(text)) return `127.0.0.1${text}`
  return /^[\da-f]*:[\da-f:]+$/i.test(text) && text.split(':').length > 2 ? `[${text}]` : text
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host)
}
