import { configurationError } from '@sluice/core/adapter'
import type {
  Call,
  Capabilities,
  EncodedNativeRequest,
  EncodedRequest,
  Provider,
  Target,
} from '@sluice/core/provider'
import { accessToken, type CredentialHeaders } from './access-token.ts'
import { azureAnswerFields } from './answer-fields.ts'
import { plainHeaders } from './anthropic/native-headers.ts'
import { type ApiVersion, apiVersionOf, azureCompatibility } from './azure/api-version.ts'
import { azureUrl } from './azure/azure-url.ts'
import { azureEmbeddings } from './azure/embeddings.ts'
import { capabilitiesByName } from './chat-completions/compatibility-options.ts'
import { type ProviderFields, selectFields } from './chat-completions/provider-fields.ts'
import { chatCompletionsDecoder, encodeChatCompletions } from './chat-completions.ts'
import { completionRequest, decodeCompletion } from './completions/completion-codec.ts'
import { decodeOpenAIEmbeddings, encodeOpenAIEmbeddings } from './embeddings/openai-embeddings.ts'
import { keyOrEnvironment } from './environment-key.ts'
import { restrictFields } from './field-restrictions.ts'
import { namesOf, rejectUnknownOptions } from './known-options.ts'
import { decodeModeration, moderationRequest } from './moderations/moderation-codec.ts'
import { concurrency, type ProviderInstance, providerInstance } from './provider-instance.ts'
import { type ApiKeys, keyedCredentials } from './provider-keys.ts'
import { additionalHeaders } from './request-headers.ts'
import { nativeResponsesBody } from './responses/native-body.ts'
import { decodeNativeResponses } from './responses/native-decode.ts'
import { type ReasoningApi, reasoningBy, validateReasoningApi } from './responses/reasoning-api.ts'
import { decodeResponses, encodeResponses } from './responses.ts'
import { allRestrictedFields, azureFields } from './restricted-fields.ts'
import { type NativeCodec, nativeDialects } from './speaks.ts'

export type { ProviderInstance } from './provider-instance.ts'
export type { ApiKeys, WeightedKey } from './provider-keys.ts'
export type { ReasoningApi } from './responses/reasoning-api.ts'

/** Options of `azure()`. Requires `resource` or `baseURL`, and one of `apiKey`, `token` and `tokenProvider`. */
export interface AzureOptions {
  /** The resource name: the part before `.openai.azure.com`. */
  readonly resource?: string | undefined
  /** Sent as `api-key`: one key, or a list of several. Default if no token is set: the environment variable `AZURE_OPENAI_API_KEY`. */
  readonly apiKey?: ApiKeys | undefined
  /** An Entra access token, sent as `Authorization: Bearer ...`. It expires after about an hour. */
  readonly token?: string | undefined
  /** Returns an access token. Called before each call, so it has to cache and renew the token. */
  readonly tokenProvider?: (() => string | Promise<string>) | undefined
  /**
   * A date, such as `2024-10-21`, selects the classic API with a path for each deployment. Default: the v1 API, which
   * `v1`, `preview` and `latest` select too; they are sent as its version.
   */
  readonly apiVersion?: string | undefined
  /** The URL before `/openai`. Default `https://{resource}.openai.azure.com`. */
  readonly baseURL?: string | undefined
  /** Additional headers for each request. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** The maximum number of concurrent calls; further calls wait. Default: no maximum. */
  readonly maxConcurrent?: number | undefined
  /** Restricted fields that every caller may send, even one with limits or a model list. Default: none. */
  readonly allowFields?: readonly string[] | undefined
  /**
   * The fields outside the protocol that answers keep. Default: the results of content filters, and the tokens of text and
   * images. `false`: none.
   */
  readonly providerFields?: ProviderFields | false | undefined
  /**
   * The API by which models with the capability `reasoning` are called: `responses` gives their thoughts and takes them back, and
   * needs the v1 API and a region that has it. Requests that it cannot express go to chat completions. Default `chat`.
   */
  readonly reasoningApi?: ReasoningApi | undefined
  /**
   * Other dialects in which requests are passed on as they came. `responses` is OpenAI's Responses API: it needs the v1 API and a
   * region that has it. Default: none.
   */
  readonly speaks?: readonly 'responses'[] | undefined
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
  providerFields: true,
  reasoningApi: true,
  speaks: true,
})

/**
 * Creates a provider for Azure OpenAI: `azure({ resource, apiKey })('my-gpt-4o')`. The name is the deployment's. If it
 * does not show what the model can do, pass its capabilities: `azure({...})('ours', { reasoning: true })`.
 *
 * Throws `TypeError` for invalid options: a `ConfigurationError`, or a plain `TypeError` for some values.
 */
export function azure(options: AzureOptions): ProviderInstance {
  rejectUnknownOptions(owner, options, optionNames)
  const version = apiVersionOf(options.apiVersion, owner)
  const urlOf = azureUrl(options, version, owner)
  const compatibility = azureCompatibility(version)
  const { names, credential, part } = credentialOf(options)
  const headers = additionalHeaders(names, options.headers ?? {}, owner)
  const fields = selectFields(options.providerFields ?? azureAnswerFields, owner)
  const chat = {
    encode: (call: Call) => {
      const url = urlOf(call.model, 'chat/completions')
      return authorized(encodeChatCompletions(call, { url, headers, compatibility }), credential, call)
    },
    decode: chatCompletionsDecoder(fields === undefined ? undefined : { fields, numberedCitations: false }),
  }
  const encodeReasoning = (call: Call) => {
    const url = urlOf(call.model, 'responses')
    return authorized(encodeResponses(call, { url, headers, encryptedReasoning: true }), credential, call)
  }
  const native: NativeCodec = {
    encodeNative: call => {
      const url = urlOf(call.model, 'responses')
      const body = nativeResponsesBody(call, true)
      return authorized(
        { method: 'POST', url, headers: { ...plainHeaders(call), ...headers }, body },
        credential,
        call,
      )
    },
    decodeNative: decodeNativeResponses,
  }
  const restricted = options.baseURL === undefined ? azureFields : allRestrictedFields
  const passesOn = speaksResponses(options.speaks, version)
  const provider: Provider = {
    name: owner,
    realm: `${options.baseURL ?? options.resource}`,
    ...(callsByResponses(options.reasoningApi, version)
      ? reasoningBy({ encode: encodeReasoning, decode: decodeResponses }, chat)
      : chat),
    ...nativeDialects(options.speaks, [], native, owner, ['responses']),
    embed: {
      encode: call => {
        const url = urlOf(call.model, 'embeddings')
        const request = encodeOpenAIEmbeddings(call, { url, headers }, azureEmbeddings(call.model))
        return authorized(request, credential, call)
      },
      decode: (response, call) => decodeOpenAIEmbeddings(response, call, azureEmbeddings(call.model)),
    },
    complete: {
      encode: call => {
        const url = urlOf(call.model, 'completions')
        return authorized(completionRequest(call, { url, headers }, {}), credential, call)
      },
      decode: (response, call) => decodeCompletion(response, call, {}),
    },
    // Only the v1 API has it.
    ...(version.api === 'v1'
      ? {
          moderate: {
            encode: call => {
              const url = urlOf(call.model, 'moderations')
              return authorized(moderationRequest(call, { url, headers }), credential, call)
            },
            decode: decodeModeration,
          },
        }
      : {}),
    ...part,
    ...concurrency(options.maxConcurrent, owner),
    // Behind a URL of its own may be another server. Tools that it runs are billed.
    ...restrictFields(
      passesOn ? { server_tools: 'paid', ...restricted } : restricted,
      options.allowFields,
      owner,
    ),
  }
  const vendor = providerInstance(provider, capabilitiesByName)
  return Object.assign((model: string, given?: Capabilities) => validateTarget(vendor(model, given)), {
    provider,
  })
}

/** Throws `ConfigurationError` for an unknown API, and for one that the classic API does not have. */
function callsByResponses(reasoningApi: ReasoningApi | undefined, { api }: ApiVersion): boolean {
  validateReasoningApi(reasoningApi, owner)
  if (reasoningApi === 'responses' && api === 'classic')
    throw configurationError(`${owner}()`, ['reasoningApi'], reasoningApi, "'chat' with a classic apiVersion")
  return reasoningApi === 'responses'
}

/** Throws `ConfigurationError` for a dialect that the classic API does not have. */
function speaksResponses(speaks: AzureOptions['speaks'], { api }: ApiVersion): boolean {
  const passesOn = Array.isArray(speaks) && speaks.includes('responses')
  if (passesOn && api === 'classic')
    throw configurationError(`${owner}()`, ['speaks'], speaks, '[] with a classic apiVersion')
  return passesOn
}

type Credential = (call: Pick<Call, 'key'>) => CredentialHeaders | Promise<CredentialHeaders>

/** Adds the credential of a call to its request. A request that was refused before asks for no token. */
function authorized<Request extends EncodedRequest | EncodedNativeRequest>(
  request: Request,
  credential: Credential,
  call: Pick<Call, 'key'>,
): Request | Promise<Request> {
  const given = credential(call)
  const signed = (headers: CredentialHeaders) => ({ ...request, headers: { ...request.headers, ...headers } })
  return given instanceof Promise ? given.then(signed) : signed(given)
}

/** Throws `TypeError` for a deployment that is not one segment of a path. */
function validateTarget(target: Target): Target {
  if (target.model === '.' || target.model === '..')
    throw new TypeError(`${owner}: '${target.model}' is no name of a deployment.`)
  return target
}

/** Returns the credential of each key, or the token, and the names of its headers. Throws `TypeError` unless there is exactly one. */
function credentialOf({ apiKey: given, token, tokenProvider }: AzureOptions): {
  readonly names: CredentialHeaders
  readonly credential: Credential
  readonly part: Pick<Provider, 'keys'>
} {
  const variable = 'AZURE_OPENAI_API_KEY'
  const hasToken = token !== undefined || tokenProvider !== undefined
  const apiKey = hasToken
    ? given
    : keyOrEnvironment(given, owner, [variable], 'a key, a token or a tokenProvider')
  if (apiKey === undefined) {
    return {
      names: { authorization: '' },
      credential: accessToken({ token, tokenProvider }, owner),
      part: {},
    }
  }
  if (hasToken) throw new TypeError(`${owner}: give one of apiKey, token and tokenProvider, not more.`)
  const { part, of } = keyedCredentials(apiKey, owner, key => ({ 'api-key': key! }))
  return { names: { 'api-key': '' }, credential: of, part }
}
