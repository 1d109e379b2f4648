import { type ImportContext, variable } from '../import-context.ts'
import type { ImportNode } from '../import-reader.ts'
import type { UnsupportedSetting } from '../import-result.ts'
import { isPlaceholder, secretText, settingsText } from './settings.ts'
import { bedrockRegion, type KnownVendor, type NamedModel } from './vendors.ts'

/** Returns the name of the provider that answers a deployment, or why there is none. */
export function deploymentProvider(
  named: NamedModel,
  given: ImportNode,
  context: ImportContext,
  speaksResponses = false,
): string | Omit<UnsupportedSetting, 'path'> {
  const { known } = named
  if (known === undefined) return unknownVendor
  const concurrent = concurrencyOf(given, context)
  if (known.type === 'bedrock') return make('bedrock', bedrockOptions(named, given, context))
  const isKeyed =
    known.keyless !== true || (given.at('api_key').isThere && !isPlaceholder(given.at('api_key')))
  const headers = headersOf(given, context, isKeyed)
  if (known.type === 'vertex') return make('vertex', { ...vertexOptions(given, context), ...headers })
  if (known.type === 'azure') return make('azure', { ...azureOptions(given, context), ...headers })
  return protocolVendor(known)

  function make(type: string, options: Readonly<Record<string, unknown>>): string {
    return context.vendors.nameOf(type, { ...options, ...concurrent })
  }

  function protocolVendor(vendor: KnownVendor): string | Omit<UnsupportedSetting, 'path'> {
    const baseURL = baseOf(vendor, given, context)
    const type =
      vendor.type === 'openai' && baseURL !== undefined && !isOpenAI(baseURL)
        ? 'openai-compatible'
        : vendor.type
    if (type === 'openai-compatible' && baseURL === undefined) return noBase
    const key = keyOf(vendor, type, given, context)
    const organization =
      type === 'openai'
        ? settingsText(given.at('organization'), context.variables, 'OPENAI_ORGANIZATION')
        : undefined
    const further = type === 'openai' && Object.keys(headers).length > 0 ? 'openai-compatible' : type
    const elsewhere =
      further !== type && baseURL === undefined ? { baseURL: 'https://api.openai.com/v1' } : {}
    return make(further, {
      ...(key === undefined ? {} : { apiKey: key }),
      ...elsewhere,
      ...(baseURL === undefined ? {} : { baseURL }),
      ...organizationOf(organization, further, headers),
      ...(speaksResponses && !(baseURL === undefined && speaksByDefault.has(further))
        ? { speaks: ['responses'] }
        : {}),
    })
  }
}

/** The providers that pass on requests in the Responses API, unless they have a `baseURL` of their own. */
const speaksByDefault: ReadonlySet<string> = new Set(['openai', 'xai', 'openrouter', 'deepseek'])

const unknownVendor = {
  why: 'Unsupported vendor.',
  fix: 'If it speaks the chat-completions protocol, add a provider of type openai-compatible with its baseURL.',
}
const noBase = {
  why: 'It has no api_base.',
  fix: 'Add a provider of type openai-compatible with its baseURL, and a model of it.',
}

/** OpenAI's function takes an organization and no headers; a compatible server's takes headers. */
function organizationOf(
  organization: string | undefined,
  type: string,
  headers: { readonly headers?: Readonly<Record<string, string>> },
): Readonly<Record<string, unknown>> {
  if (organization === undefined) return headers
  if (type === 'openai') return { organization, ...headers }
  return { headers: { ...headers.headers, 'openai-organization': organization } }
}

function isOpenAI(baseURL: string): boolean {
  return baseURL.startsWith('https://api.openai.com/')
}

function baseOf(vendor: KnownVendor, given: ImportNode, { variables }: ImportContext): string | undefined {
  const part = given.at('api_base').isThere ? given.at('api_base') : given.at('base_url')
  const text = settingsText(part, variables, `${vendor.type}_BASE_URL`)
  if (text === undefined) return vendor.baseURL
  const path = vendor.basePath
  const bare = text.replace(/\/+$/, '')
  return path === undefined || bare.endsWith(path) ? bare : `${bare}${path}`
}

function keyOf(
  vendor: KnownVendor,
  type: string,
  given: ImportNode,
  { reader, variables }: ImportContext,
): string | undefined {
  const part = given.at('api_key')
  const isFree = vendor.keyless === true || type === 'openai-compatible'
  if (isFree && isPlaceholder(part)) {
    part.markRead()
    reader.note('Placeholder keys are removed: the server is called without a key.')
    return undefined
  }
  const key = secretText(part, variables, `${type}_API_KEY`)
  if (key !== undefined) return key
  return vendor.key === undefined || vendor.keyless === true ? undefined : variable(vendor.key)
}

function concurrencyOf(given: ImportNode, { reader }: ImportContext): { readonly maxConcurrent?: number } {
  const maxConcurrent = given.at('max_parallel_requests').count(1)
  if (maxConcurrent === undefined) return {}
  reader.note('Calls above maxConcurrent wait; LiteLLM rejects calls above max_parallel_requests.')
  return { maxConcurrent }
}

const resourceHost = /^https:\/\/([a-z0-9-]+)\.openai\.azure\.com\/?$/i

/** A deployment on Azure. What it does not say, LiteLLM reads from variables, and so it is read here. */
function azureOptions(given: ImportNode, { reader, variables }: ImportContext): Record<string, unknown> {
  const base = settingsText(given.at('api_base'), variables, 'AZURE_API_BASE')
  const resource = base === undefined ? undefined : resourceHost.exec(base)?.[1]
  const apiVersion = settingsText(given.at('api_version'), variables, 'AZURE_API_VERSION')
  const token = secretText(given.at('azure_ad_token'), variables, 'AZURE_AD_TOKEN')
  const ownKey = secretText(given.at('api_key'), variables, 'AZURE_API_KEY')
  if (token !== undefined)
    reader.note(
      'An Entra token expires after about an hour. In a TypeScript configuration, azure({ tokenProvider }) renews it.',
    )
  const apiKey = ownKey ?? (token === undefined ? variable('AZURE_API_KEY') : undefined)
  if (apiVersion === undefined)
    reader.note(
      'Azure is called by its v1 API if there is no api_version; set apiVersion for the classic API.',
    )
  return {
    ...(resource === undefined
      ? { baseURL: base?.replace(/\/+$/, '') ?? variable('AZURE_API_BASE') }
      : { resource }),
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(token === undefined ? {} : { token }),
    ...(apiVersion === undefined ? {} : { apiVersion }),
  }
}

/** A model on Bedrock: credentials of its own, or those of the environment. */
function bedrockOptions(
  { model }: NamedModel,
  given: ImportNode,
  context: ImportContext,
): Record<string, unknown> {
  const { reader, variables } = context
  const own = settingsText(given.at('aws_region_name'), variables, 'AWS_REGION_NAME')
  const region = own ?? bedrockRegion.exec(model)?.[1] ?? variable('AWS_REGION_NAME')
  const baseURL = settingsText(
    given.at('aws_bedrock_runtime_endpoint'),
    variables,
    'AWS_BEDROCK_RUNTIME_ENDPOINT',
  )
  if (model.startsWith('invoke/'))
    reader.note("Bedrock is called by its Converse API, also for models with 'invoke/'.")
  const bearerToken = secretText(given.at('api_key'), variables, 'AWS_BEARER_TOKEN_BEDROCK')
  return {
    region,
    ...(bearerToken === undefined ? { credentials: credentialsOf(given, context) } : { bearerToken }),
    ...(baseURL === undefined ? {} : { baseURL }),
  }
}

function credentialsOf(given: ImportNode, { reader, variables }: ImportContext): Record<string, string> {
  const text = (key: string, wanted: string) => secretText(given.at(key), variables, wanted)
  const accessKeyId = text('aws_access_key_id', 'AWS_ACCESS_KEY_ID')
  const secretAccessKey = text('aws_secret_access_key', 'AWS_SECRET_ACCESS_KEY')
  const sessionToken = text('aws_session_token', 'AWS_SESSION_TOKEN')
  if (accessKeyId === undefined)
    reader.note(
      'Bedrock reads AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY. For roles and profiles, use a TypeScript configuration with a function: bedrock({ credentials }).',
    )
  return {
    accessKeyId: accessKeyId ?? variable('AWS_ACCESS_KEY_ID'),
    secretAccessKey: secretAccessKey ?? variable('AWS_SECRET_ACCESS_KEY'),
    ...(sessionToken === undefined ? {} : { sessionToken }),
  }
}

/** A model on Vertex AI. Its token is the one thing that a file cannot hold for long. */
function vertexOptions(given: ImportNode, { reader, variables }: ImportContext): Record<string, unknown> {
  const project =
    settingsText(given.at('vertex_project'), variables, 'VERTEXAI_PROJECT') ?? variable('VERTEXAI_PROJECT')
  const location =
    settingsText(given.at('vertex_location'), variables, 'VERTEXAI_LOCATION') ?? variable('VERTEXAI_LOCATION')
  reader.note(
    'Vertex AI is called with the access token in VERTEX_TOKEN, which expires after an hour. In a TypeScript configuration, vertex({ tokenProvider }) renews it.',
  )
  return { project, location, token: variable('VERTEX_TOKEN') }
}

/** Headers that hold no secret. */
const harmlessHeaders =
  /^(?:anthropic-(?:beta|version)|accept|content-type|user-agent|http-referer|referer|x-title|openai-(?:organization|project|beta))$/i

/** Headers that a provider sets by itself. */
const providerHeaders = /^(?:authorization|x-api-key|api-key|x-goog-api-key|anthropic-version)$/i

/**
 * Further headers of each request. What may be a credential is read from the environment. `isKeyed`: the provider has a
 * key of its own.
 */
function headersOf(
  given: ImportNode,
  { variables }: ImportContext,
  isKeyed: boolean,
): { readonly headers?: Record<string, string> } {
  const headers = ['extra_headers', 'headers'].flatMap(key =>
    given
      .at(key)
      .members()
      .flatMap(([name, part]) => {
        if (isKeyed && providerHeaders.test(name)) {
          part.reportUnsupported('The provider sets this header itself.', 'Use its apiKey instead.')
          return []
        }
        const read = harmlessHeaders.test(name) ? settingsText : secretText
        const value = read(part, variables, `HEADER_${name}`)
        return value === undefined ? [] : [[name, value] as const]
      }),
  )
  return headers.length === 0 ? {} : { headers: Object.fromEntries(headers) }
}
