import { GatewayError } from '@sluice/core'

const maxBytes = 65_536
const deadlineMs = 10_000
const decoder = new TextDecoder('utf-8', { fatal: true })

/**
 * The body of a request as an object with these members at most. Throws 400 for what is no JSON, or not said to be, is
 * nested more than 16 deep, is no object, or has another member; 413 for more than 64 KiB, and 408 for a body that takes
 * longer than 10 seconds.
 */
export async function readJson(
  request: Request,
  members: readonly string[],
): Promise<Readonly<Record<string, unknown>>> {
  const type = request.headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase()
  if (type !== 'application/json') throw new GatewayError('unsupported_content_type')
  if (Number(request.headers.get('content-length')) > maxBytes) throw tooLarge()
  const value = parsed(await bytesOf(request))
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new GatewayError('invalid_type', { message: 'The body must be a JSON object.' })
  }
  const unknown = Object.keys(value).find(name => !members.includes(name))
  if (unknown === undefined) return value as Readonly<Record<string, unknown>>
  const name = unknown.length > 50 ? `${unknown.slice(0, 50)}...` : unknown
  throw new GatewayError('unknown_parameter', {
    message: `Unknown member '${name}'. Known are ${members.join(', ')}.`,
    param: name,
  })
}

function parsed(bytes: Uint8Array): unknown {
  if (isTooDeep(bytes)) throw new GatewayError('invalid_json', { message: 'The JSON is nested too deep.' })
  try {
    return JSON.parse(decoder.decode(bytes))
  } catch {
    // Without its cause, which would quote the body.
    throw new GatewayError('invalid_json')
  }
}

async function bytesOf(request: Request): Promise<Uint8Array> {
  const reader = request.body?.getReader()
  if (reader === undefined) return new Uint8Array()
  let late = false
  const timer = setTimeout(() => {
    late = true
    reader.cancel().catch(() => {})
  }, deadlineMs)
  try {
    const bytes = new Uint8Array(maxBytes)
    for (let length = 0; ; ) {
      const { done, value } = await reader.read()
      if (late) throw new GatewayError('request_timeout')
      if (done) return bytes.subarray(0, length)
      if (length + value.length > maxBytes) throw tooLarge()
      bytes.set(value, length)
      length += value.length
    }
  } catch (error) {
    throw request.signal.aborted ? new GatewayError('client_disconnected') : error
  } finally {
    clearTimeout(timer)
    reader.cancel().catch(() => {})
  }
}

function tooLarge(): GatewayError {
  return new GatewayError('body_too_large', { message: 'The body is larger than 64 KiB.' })
}

const maxDepth = 16

/** Whether a JSON text nests objects and arrays more than 16 deep. It does not check the grammar. */
function isTooDeep(bytes: Uint8Array): boolean {
  let depth = 0
  let inText = false
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (inText) {
      if (byte === 0x5c) at++
      else if (byte === 0x22) inText = false
    } else if (byte === 0x22) inText = true
    else if (byte === 0x7b || byte === 0x5b) {
      if (++depth > maxDepth) return true
    } else if (byte === 0x7d || byte === 0x5d) depth--
  }
  return false
}
