import { Agent, get } from 'node:http'

/** More than any list of models takes. */
const maxBytes = 1_048_576

/**
 * What a server of this machine answers with, where that is a 200 in JSON; `undefined` for anything else, and where the
 * signal comes first. It sends no credentials, follows no redirect, and goes through no proxy.
 */
export function getJson(url: string, signal: AbortSignal): Promise<unknown> {
  return new Promise(resolve => {
    const nothing = () => resolve(undefined)
    if (signal.aborted) return nothing()
    // An agent of its own: the global one may have been told of a proxy.
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
