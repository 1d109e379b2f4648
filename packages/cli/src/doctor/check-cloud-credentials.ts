import type { TypedConfig } from '../config/config.ts'
import type { Environment } from '../config/load/with-environment.ts'
import { isPlainObject } from '../config/shape/collections.ts'
import { isPlaceholder, keysOf } from './check-keys.ts'
import { error, type Finding, ok, warning } from './finding.ts'

/** What a credential is checked with. */
interface Given {
  readonly check: string
  readonly env: Environment
  /** In milliseconds since 1970. */
  readonly now: number
}

type Options = Readonly<Record<string, unknown>>

/** Checks the form and the expiry of the credentials of Azure, Bedrock and Vertex. Calls nobody. */
export function checkCloudCredentials(
  { providers = {} }: Pick<TypedConfig, 'providers'>,
  env: Environment,
  now: number,
): readonly Finding[] {
  return Object.entries(providers).flatMap(([name, provider]) => {
    if (!isPlainObject(provider)) return []
    const given = { check: `credentials of provider ${name}`, env, now }
    switch (provider.type ?? name) {
      case 'azure':
        return ofAzure(name, provider, given)
      case 'bedrock':
        return ofBedrock(provider, given)
      case 'vertex':
        return textOf(provider.token).flatMap(token => ofVertexToken(token, given))
      default:
        return []
    }
  })
}

const azureTokenFix =
  'Set tokenProvider in sluice.config.ts. To try one token: az account get-access-token --resource https://cognitiveservices.azure.com'

function ofAzure(name: string, provider: Options, { check, env, now }: Given): readonly Finding[] {
  const [token] = textOf(provider.token)
  if (token !== undefined) {
    const claims = claimsOf(token)
    if (/^https:\/\/(?:management|graph)\./.test(String(claims?.aud))) {
      return [error(check, 'The token is for another API of Azure, not for its models.', azureTokenFix)]
    }
    return [ofExpiry(check, 'token', expiryOfClaims(claims), now, azureTokenFix)]
  }
  // A gateway in front of Azure has keys of its own.
  if (!isHostOf(provider.baseURL, '.azure.com')) return []
  const keys = keysOf(name, provider, env).filter(key => !isPlaceholder(key))
  const isForm = (key: string) => /^(?:[\da-f]{32}|[\dA-Za-z]{84})$/.test(key)
  if (keys.length === 0) return []
  return [
    keys.every(isForm)
      ? ok(check, 'have the form of keys of Azure')
      : warning(
          check,
          'A key has not the form of those of Azure: 32 hexadecimal digits, or 84 letters and digits.',
          'Copy KEY 1 of the resource: az cognitiveservices account keys list',
        ),
  ]
}

const vertexTokenFix =
  'Set tokenProvider in sluice.config.ts, such as by google-auth-library. To try one token: gcloud auth print-access-token'

function ofVertexToken(token: string, { check, now }: Given): readonly Finding[] {
  if (token.startsWith('AIza')) {
    return [error(check, 'The token is an API key of Google, and no access token.', vertexTokenFix)]
  }
  return [ofExpiry(check, 'token', expiryOfClaims(claimsOf(token)), now, vertexTokenFix)]
}

/** A gateway does not renew what is a text. */
function ofExpiry(
  check: string,
  what: string,
  expiry: number | undefined,
  now: number,
  fix: string,
): Finding {
  if (expiry === undefined) {
    return warning(
      check,
      `The ${what} is fixed: it expires, usually within an hour, and is not renewed.`,
      fix,
    )
  }
  const minutes = Math.round(Math.abs(expiry - now) / 60_000)
  return expiry <= now
    ? error(check, `The ${what} expired ${minutes} minutes ago.`, fix)
    : warning(check, `The ${what} expires in ${minutes} minutes, and is not renewed.`, fix)
}

const awsKeyFix = 'Copy both values again: aws iam create-access-key, or aws configure export-credentials'

function ofBedrock(provider: Options, given: Given): readonly Finding[] {
  const { check, env } = given
  if (!isHostOf(provider.baseURL, '.amazonaws.com')) return []
  const isGiven = provider.credentials !== undefined || provider.bearerToken !== undefined
  const [bearerToken] = textOf(isGiven ? provider.bearerToken : env.AWS_BEARER_TOKEN_BEDROCK)
  if (bearerToken !== undefined) return [ofBedrockKey(bearerToken, provider, given)]
  const credentials = isGiven
    ? provider.credentials
    : {
        accessKeyId: env.AWS_ACCESS_KEY_ID,
        secretAccessKey: env.AWS_SECRET_ACCESS_KEY,
        sessionToken: env.AWS_SESSION_TOKEN || undefined,
      }
  if (!isPlainObject(credentials)) return []
  const [id] = textOf(credentials.accessKeyId)
  const [secret] = textOf(credentials.secretAccessKey)
  if (id === undefined || secret === undefined) return []
  if (!/^(?:AKIA|ASIA)[\dA-Z]{12,124}$/.test(id)) {
    return [warning(check, 'accessKeyId does not begin with AKIA or ASIA, as those of AWS do.', awsKeyFix)]
  }
  if (!/^[\dA-Za-z+/]{40}$/.test(secret)) {
    return [warning(check, 'secretAccessKey has not the 40 characters of those of AWS.', awsKeyFix)]
  }
  const isTemporary = id.startsWith('ASIA')
  if (isTemporary === (credentials.sessionToken === undefined)) {
    return [
      isTemporary
        ? error(
            check,
            'accessKeyId is temporary (ASIA), and there is no sessionToken.',
            'Set sessionToken, or AWS_SESSION_TOKEN.',
          )
        : error(
            check,
            'accessKeyId is permanent (AKIA), and there is a sessionToken of another one.',
            'Remove sessionToken, or AWS_SESSION_TOKEN.',
          ),
    ]
  }
  if (!isTemporary) return [ok(check, 'have the form of credentials of AWS')]
  return [
    warning(
      check,
      'The credentials are temporary (ASIA), and are not renewed.',
      'Set credentials to a function in sluice.config.ts, such as fromNodeProviderChain() of @aws-sdk/credential-providers.',
    ),
  ]
}

const bedrockKeyFix =
  'Create an API key of Bedrock for that region in the console of AWS, or use credentials, which can be a function in sluice.config.ts'
const shortTermPrefix = 'bedrock-api-key-'

/** A long-term key begins with ABSK. A short-term one is a signed URL, which says its region and its time. */
function ofBedrockKey(key: string, provider: Options, { check, env, now }: Given): Finding {
  if (key.startsWith('ABSK')) return ok(check, 'have the form of an API key of Bedrock')
  if (!key.startsWith(shortTermPrefix)) {
    return warning(check, 'bearerToken has not the form of an API key of Bedrock.', bedrockKeyFix)
  }
  const text = Buffer.from(key.slice(shortTermPrefix.length), 'base64').toString('latin1')
  const fields = new URLSearchParams(text.slice(text.indexOf('?') + 1))
  const region = fields.get('X-Amz-Credential')?.split('/')[2]
  const configured = provider.region ?? env.AWS_REGION ?? env.AWS_DEFAULT_REGION
  if (region !== undefined && region !== configured) {
    return error(check, 'bearerToken is a short-term key for another region.', bedrockKeyFix)
  }
  const began = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(fields.get('X-Amz-Date') ?? '')
  const seconds = Number(fields.get('X-Amz-Expires'))
  const [, year, month, day, hours, minutes, rest] = began ?? []
  const expiry =
    began === null || !(seconds > 0)
      ? undefined
      : Date.parse(`${year}-${month}-${day}T${hours}:${minutes}:${rest}Z`) + seconds * 1_000
  return ofExpiry(check, 'short-term key', expiry, now, bedrockKeyFix)
}

/** Whether a base URL is the vendor's own, as it is by default. */
function isHostOf(baseURL: unknown, suffix: string): boolean {
  if (baseURL === undefined) return true
  return typeof baseURL === 'string' && URL.canParse(baseURL) && new URL(baseURL).hostname.endsWith(suffix)
}

function textOf(value: unknown): readonly string[] {
  return typeof value === 'string' && value !== '' ? [value] : []
}

/** The claims of a JWT, which are not verified; `undefined` for another token. */
function claimsOf(token: string): Readonly<Record<string, unknown>> | undefined {
  const [, payload] = /^eyJ[\w-]*\.([\w-]+)\.[\w-]*$/.exec(token) ?? []
  if (payload === undefined) return undefined
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'))
    return isPlainObject(claims) ? claims : undefined
  } catch {
    return undefined
  }
}

function expiryOfClaims(claims: Readonly<Record<string, unknown>> | undefined): number | undefined {
  return typeof claims?.exp === 'number' ? claims.exp * 1_000 : undefined
}
