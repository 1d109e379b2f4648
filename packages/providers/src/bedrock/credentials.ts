import { UpstreamError } from '@sluice/core/provider'
import { isFields } from '../wire/json-value.ts'

/** What AWS signs requests with. */
export interface AwsCredentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** Of temporary credentials. */
  readonly sessionToken?: string | undefined
}

/** Credentials, or a function that is asked for them before each call and keeps and renews them itself. */
export type CredentialSource = AwsCredentials | (() => AwsCredentials | Promise<AwsCredentials>)

/**
 * What is wrong with credentials, as the end of a sentence, or `undefined`. Their values are not told.
 */
export function credentialsFault(value: unknown): string | undefined {
  if (!isFields(value)) return 'no object with accessKeyId and secretAccessKey'
  for (const name of ['accessKeyId', 'secretAccessKey', 'sessionToken']) {
    const part = value[name]
    if (part === undefined && name === 'sessionToken') continue
    if (typeof part !== 'string' || part === '') return `credentials whose ${name} is missing or empty`
    if (!/^[\x21-\x7e]+$/.test(part))
      return `credentials whose ${name} holds white space or foreign characters`
  }
  return undefined
}

/**
 * The credentials for one call. Throws `UpstreamError` of kind `refused`, status 401, where the function fails
 * or gives none: the gateway's own access has failed, as if the vendor had refused it.
 */
export async function credentialsOf(source: CredentialSource): Promise<AwsCredentials> {
  if (typeof source !== 'function') return source
  let given: AwsCredentials
  try {
    given = await source()
  } catch (cause) {
    if (UpstreamError.is(cause)) throw cause
    throw new UpstreamError('The credentials of AWS could not be had.', {
      kind: 'refused',
      status: 401,
      cause,
    })
  }
  const fault = credentialsFault(given)
  if (fault === undefined) return given
  throw new UpstreamError(`The function for the credentials of AWS gave ${fault}.`, {
    kind: 'refused',
    status: 401,
  })
}
