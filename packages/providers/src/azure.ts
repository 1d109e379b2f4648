import type { Capabilities, EncodedRequest, Provider, Target } from '@sluice/core/provider'
import { accessToken, type CredentialHeaders } from './access-token.ts'
import { apiVersionOf, azureDialect } from './azure/api-version.ts'
import { azureUrl } from './azure/azure-url.ts'
import { capabilitiesByName } from './chat-completions/dialect.ts'
import { chatCompletionsDecoder, encodeChatCompletions } from './chat-completions.ts'
import { keyOrEnvironment } from './environment-key.ts'
import { knownOptions, namesOf } from './known-options.ts'
import { checkedSecret, furtherHeaders } from './request-headers.ts'
import { allRestrictedFields, azureFields } from './restricted-fields.ts'
import { restricting } from './restricting.ts'
import { concurrency, type ProviderInstance, providerInstance } from './vendor.ts'

export type { ProviderInstance } from './vendor.ts'

/** How Azure OpenAI is reached. `resource` or `baseURL`, and one of `apiKey`, `token` and `tokenProvider`, are required. */
export interface AzureOptions {
  /** The name before `.openai.azure.com`. */
  readonly resource?: string | undefined
  /** Sent as `api-key`. Default, where there is no token either: the environment variable `AZURE_OPENAI_API_KEY`. */
  readonly apiKey?: string | undefined
  /** An Entra access token, sent as `Authorization: Bearer ...`. It lasts for about an hour. */
  readonly token?: string | undefined
  /** Asked for an access token before each call; it keeps and renews the token itself. */
  readonly tokenProvider?: (() => string | Promise<string>) | undefined
  /**
   * A date, such as `2024-10-21`, is a version of the classic API, which has a path for each deployment. Without
   * it the v1 API is asked, also for `v1`, `preview` and `latest`, which are sent as its version.
   */
  readonly apiVersion?: string | undefined
  /** What stands before `/openai`. Default `https://{resource}.openai.azure.com`. */
  readonly baseURL?: string | undefined
  /** Further headers of each request. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** How many calls may run at once; further ones wait. Default: any number. */
  readonly maxConcurrent?: number | undefined
  /** Restricted fields that every caller may send, also with limits or a list of models. Default: none. */
  readonly allowFields?: readonly string[] | undefined
}

const owner = 'azure'

const optionNames = /* @__PURE__ */ namesOf<AzureOptions>({
  resource: true,
  apiKey: true,
  token: true,
  tokenProvider: true,
  apiVersion: true,
  baseURL: true,
  headers: true,
  maxConcurrent: true,
  allowFields: true,
})

/**
 * Deployments on Azure OpenAI: `azure({ resource, apiKey })('my-gpt-4o')`. A deployment has any name, which need
 * not tell what its model can do: `azure({...})('ours', { reasoning: true })` says so.
 *
 * Throws `TypeError` for a configuration that cannot work.
 */
export function azure(options: AzureOptions): ProviderInstance {
  knownOptions(owner, options, optionNames)
  const version = apiVersionOf(options.apiVersion, owner)
  const urlOf = azureUrl(options, version, owner)
  const dialect = azureDialect(version)
  const { names, credential } = credentialOf(options)
  const headers = furtherHeaders(names, options.headers ?? {}, owner)
  const provider: Provider = {
    name: owner,
    encode: call => {
      // What is refused asks for no token.
      const request = encodeChatCompletions(call, { url: urlOf(call.model), headers, dialect })
      const given = credential()
      return given instanceof Promise ? given.then(late => signed(request, late)) : signed(request, given)
    },
    decode: chatCompletionsDecoder(),
    ...concurrency(options.maxConcurrent, owner),
    // Behind a URL of its own may be another server.
    ...restricting(
      options.baseURL === undefined ? azureFields : allRestrictedFields,
      options.allowFields,
      owner,
    ),
  }
  const vendor = providerInstance(provider, capabilitiesByName)
  return Object.assign((model: string, given?: Capabilities) => checkedTarget(vendor(model, given)), {
    provider,
  })
}

function signed(request: EncodedRequest, credential: CredentialHeaders): EncodedRequest {
  return { ...request, headers: { ...request.headers, ...credential } }
}

/** A deployment is a step of a path. Throws `TypeError` for one that would lead elsewhere. */
function checkedTarget(target: Target): Target {
  if (target.model === '.' || target.model === '..')
    throw new TypeError(`${owner}: '${target.model}' is no name of a deployment.`)
  return target
}

/** The one credential, and the names of the headers that it takes. Throws `TypeError` where there is not exactly one. */
function credentialOf({ apiKey: given, token, tokenProvider }: AzureOptions): {
  readonly names: CredentialHeaders
  readonly credential: () => CredentialHeaders | Promise<CredentialHeaders>
} {
  const variable = 'AZURE_OPENAI_API_KEY'
  const hasToken = token !== undefined || tokenProvider !== undefined
  const apiKey = hasToken
    ? given
    : keyOrEnvironment(given, owner, [variable], 'a key, a token or a tokenProvider')
  if (apiKey === undefined) {
    return { names: { authorization: '' }, credential: accessToken({ token, tokenProvider }, owner) }
  }
  if (hasToken) throw new TypeError(`${owner}: give one of apiKey, token and tokenProvider, not more.`)
  const key = { 'api-key': checkedSecret(apiKey, owner) }
  return { names: key, credential: () => key }
}
