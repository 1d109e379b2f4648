import { createHash, createHmac } from 'node:crypto'
import type { RecordedRequest } from '@sluice/testing'
import { Fault } from '../fault.ts'

/** Whose signature is expected, and where. */
export interface Signer {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken: string
  readonly region: string
}

/**
 * Checks a request's signature (AWS Signature Version 4): of its method, its path encoded once more, its query,
 * its signed headers and its body. Throws `Fault` (403).
 */
export function checkSignature(request: RecordedRequest, signer: Signer): void {
  const { headers, method, path, bytes } = request
  const [, keyId, date, region, service, signed = '', signature] =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
      headers.authorization ?? '',
    ) ?? []
  if (keyId === undefined)
    throw refused('Missing Authentication Token', 'MissingAuthenticationTokenException')
  if (keyId !== signer.accessKeyId || headers['x-amz-security-token'] !== signer.sessionToken) {
    throw refused('The security token included in the request is invalid.', 'UnrecognizedClientException')
  }
  if (region !== signer.region || service !== 'bedrock') {
    throw refused(`Credential should be scoped to a valid region and the service bedrock.`)
  }
  const time = headers['x-amz-date'] ?? ''
  if (!time.startsWith(date!) || Math.abs(timeOf(time) - Date.now()) > 300_000) {
    throw refused('Signature expired, or not yet current.')
  }
  const names = signed.split(';')
  for (const name of ['host', 'x-amz-date', 'x-amz-security-token']) {
    if (!names.includes(name)) throw refused(`'${name}' must be a signed header in the AWS4 signature.`)
  }
  const [plainPath = '', query = ''] = path.split('?')
  const canonical = [
    method,
    plainPath.split('/').map(encoded).join('/'),
    query,
    ...names.map(name => `${name}:${(headers[name] ?? '').trim().replace(/ +/g, ' ')}`),
    '',
    signed,
    sha256(bytes),
  ].join('\n')
  const scope = `${date}/${region}/bedrock/aws4_request`
  const toSign = ['AWS4-HMAC-SHA256', time, scope, sha256(Buffer.from(canonical))].join('\n')
  const key = [date!, region, 'bedrock', 'aws4_request'].reduce<string | Buffer>(
    (secret, part) => hmac(secret, part),
    `AWS4${signer.secretAccessKey}`,
  )
  if (hmac(key, toSign).toString('hex') !== signature) {
    throw refused(
      'The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method.',
    )
  }
}

function refused(message: string, kind = 'InvalidSignatureException'): Fault {
  return new Fault(message, 403, kind)
}

/** Every character but the unreserved ones of RFC 3986 as its bytes. */
function encoded(segment: string): string {
  return encodeURIComponent(segment).replace(
    /[!'()*]/g,
    char => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

/** `20261121T003600Z` as milliseconds since 1970. */
function timeOf(stamp: string): number {
  return Date.parse(stamp.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'))
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
