import { AwsV4Signer } from 'aws4fetch'
import type { AwsCredentials } from './credentials.ts'

/** A request that is to be signed, complete but for its signature. */
export interface SignableRequest {
  readonly url: string
  /** Names in lower case. All are signed but `content-type`, which a proxy may rewrite. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/**
 * The headers of a POST with its signature (AWS Signature Version 4, service `bedrock`). It covers the path as
 * the URL has it, the body, the host, and the headers that are given: nothing of them may change on the way. What
 * a transport adds (`content-length`, `user-agent`, `accept-encoding`) is not covered.
 *
 * @param at - milliseconds since 1970. AWS refuses what is more than five minutes off.
 */
export async function signedHeaders(
  { url, headers, body }: SignableRequest,
  { accessKeyId, secretAccessKey, sessionToken }: AwsCredentials,
  region: string,
  at: number,
): Promise<Readonly<Record<string, string>>> {
  const signer = new AwsV4Signer({
    method: 'POST',
    url,
    headers,
    body,
    accessKeyId,
    secretAccessKey,
    ...(sessionToken === undefined ? {} : { sessionToken }),
    service: 'bedrock',
    region,
    datetime: new Date(at).toISOString().replace(/[:-]|\.\d{3}/g, ''),
  })
  const signed = await signer.sign()
  return Object.fromEntries(signed.headers)
}
