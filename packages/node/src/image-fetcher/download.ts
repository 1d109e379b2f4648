import type { ClientRequest, IncomingMessage } from 'node:http'
import { Agent, request } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { boundedBody } from './bounded-body.ts'
import { beginsAs, type ImageType, imageTypeOf, imageTypes } from './image-type.ts'

/** The parts of an image's URL. */
export interface ImageLocation {
  readonly host: string
  readonly port: number
  readonly path: string
}

/**
 * Gets an image from one of these addresses, by a connection of its own that is gone when this is over. An abort
 * ends it at once.
 */
export async function download(
  location: ImageLocation,
  addresses: readonly string[],
  limits: { readonly maxBytes: number; readonly ca: string | undefined },
  signal: AbortSignal,
): Promise<{ readonly mediaType: ImageType; readonly data: Uint8Array }> {
  signal.throwIfAborted()
  const sent = request({
    ...location,
    method: 'GET',
    headers: { accept: imageTypes.join(', '), 'accept-encoding': 'identity', 'user-agent': 'sluice' },
    agent: ownAgent(),
    lookup: only(addresses),
    ca: limits.ca,
    // Said here, as the environment can turn the default off.
    rejectUnauthorized: true,
  })
  const end = () => sent.destroy()
  signal.addEventListener('abort', end, { once: true })
  try {
    const response = await responseTo(sent)
    const mediaType = checkedHead(response)
    const data = await boundedBody(response, limits.maxBytes).catch(cause => {
      throw brokenOff(cause)
    })
    if (data === undefined) throw new Error(`The image has more than ${limits.maxBytes} bytes.`)
    if (!beginsAs(mediaType, data)) throw new Error(`The image is said to be ${mediaType}, and is not.`)
    return { mediaType, data }
  } finally {
    signal.removeEventListener('abort', end)
    sent.destroy()
  }
}

/** Shares neither connections nor TLS sessions, and knows no proxy of the environment. */
function ownAgent(): Agent {
  return new Agent({
    keepAlive: false,
    maxCachedSessions: 0,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: 1_000,
  })
}

/** A look-up that knows these addresses and nothing else. */
function only(addresses: readonly string[]): LookupFunction {
  const known = addresses.map(address => ({ address, family: isIP(address) }))
  return (_name, { all }, done) => {
    const [first] = known
    if (all === true) process.nextTick(done, null, known)
    else process.nextTick(done, null, first?.address, first?.family)
  }
}

function responseTo(sent: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const failed = (cause?: NodeJS.ErrnoException) => reject(brokenOff(cause))
    sent
      .once('response', resolve)
      .once('close', failed)
      // This one stays: what fails after the response is reported to its reader.
      .on('error', failed)
      .end()
  })
}

function brokenOff(cause: NodeJS.ErrnoException | undefined): Error {
  const code = cause?.code === undefined ? '' : ` (${cause.code})`
  return new Error(`The image's host could not be reached, or broke off${code}.`, { cause })
}

function checkedHead({ statusCode = 0, headers }: IncomingMessage): ImageType {
  if (statusCode >= 300 && statusCode < 400) {
    throw new Error(`The image's host answered with a redirect (${statusCode}), and none is followed.`)
  }
  if (statusCode !== 200) throw new Error(`The image's host answered with status ${statusCode}, not 200.`)
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? ''
  if (encoding !== '' && encoding !== 'identity') {
    throw new Error("The image's host answered with encoded content, which was not asked for.")
  }
  const type = imageTypeOf(headers['content-type'])
  if (type === undefined) {
    throw new Error(`The image's host did not answer with one of ${imageTypes.join(', ')}.`)
  }
  return type
}
