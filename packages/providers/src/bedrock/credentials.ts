import { UpstreamError } from '@sluice/core/provider'
import { isFields } from '../wire/json-value.ts'

/** AWS credentials that sign requests. */
export interface AwsCredentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** Required for temporary credentials. */
  readonly sessionToken?: string | undefined
}

/** Credentials, or a function that returns them. Called before each call, so it has to cache and renew them. */
export type CredentialSource = AwsCredentials | (() => AwsCredentials | Promise<AwsCredentials>)

/** Returns what is wrong with credentials, as the end of a sentence, or `undefined`. It never contains a value. */
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
 * Returns the credentials for one call. Rejects with `UpstreamError` (`refused`, 401) if the function fails or returns
 * none: the gateway's own access has failed, as if AWS had refused it.
 */
export async function credentialsOf(source: CredentialSource): Promise<AwsCredentials> {
  if (typeof source !== 'function') return source
  let given: AwsCredentials
  try {
    given = await source()
  } catch (cause) {
    if (UpstreamError.is(cause)) throw cause
    throw new UpstreamError('bedrock: the function `credentials` failed. Its error is the cause.', {
      kind: 'refused',
      status: 401,
      cause,
    })
  }
  const fault = credentialsFault(given)
  if (fault === undefined) return given
  throw new UpstreamError(`bedrock: the function \`credentials\` returned ${fault}.`, {
    kind: 'refused',
    status: 401,
  })
}
