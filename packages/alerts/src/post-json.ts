import { lookup as lookUp } from 'node:dns'
import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { isPublicAddress } from '@sluice/node/adapter'

/** A request with a JSON body. */
export interface JsonPost {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Whether addresses of this machine and of private networks may be called. */
  readonly allowPrivate: boolean
}

/** Not sent, as the address is not one of the public internet. Trying again changes nothing. */
export class PrivateAddressError extends Error {
  override readonly name = 'PrivateAddressError'

  constructor() {
    super('The webhook has a private address. Set allowPrivate to call it.')
  }
}

/**
 * Posts JSON, and returns the status of the answer. Redirects are not followed, and the answer's body is not read. The address that
 * is checked is the one that is called. Rejects if the connection fails, and when `signal` aborts.
 */
export function postJson(
  { url, headers, body, allowPrivate }: JsonPost,
  signal: AbortSignal,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
    if (!allowPrivate && isIP(host) !== 0 && !isPublicAddress(host)) {
      reject(new PrivateAddressError())
      return
    }
    const send = url.protocol === 'https:' ? requestHttps : requestHttp
    const bytes = Buffer.byteLength(body)
    const sent = send(
      url,
      {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json', 'content-length': bytes },
        agent: false,
        signal,
        ...(!allowPrivate && { lookup: publicLookup }),
      },
      response => {
        const { statusCode = 0 } = response
        // What a receiver says is nobody's business, however long it is.
        response.on('error', () => {})
        response.destroy()
        resolve(statusCode)
      },
    )
    sent.on('error', reject)
    sent.end(body)
  })
}

/** Every address must be public: a name with one of both kinds is an attempt to get in. */
const publicLookup: LookupFunction = (hostname, options, callback) => {
  lookUp(hostname, { ...options, all: true }, (error, addresses) => {
    if (error !== null) {
      callback(error, [])
      return
    }
    const [first] = addresses
    if (first === undefined || !addresses.every(({ address }) => isPublicAddress(address))) {
      callback(new PrivateAddressError(), [])
    } else if (options.all === true) callback(null, addresses)
    else callback(null, first.address, first.family)
  })
}
