import type { Loss } from '../imported.ts'
import type { Importing } from '../importing.ts'
import type { Part } from '../part.ts'
import { variable } from '../variables.ts'
import { azureOptions } from './azure-options.ts'
import { bedrockOptions } from './bedrock-options.ts'
import { headersOf } from './headers.ts'
import { isPlaceholder, secretText, settingsText } from './settings-text.ts'
import type { KnownVendor, NamedModel } from './vendors.ts'
import { vertexOptions } from './vertex-options.ts'

/** The name of the vendor that a deployment is asked of, or why there is none. */
export function vendorOf(named: NamedModel, given: Part, importing: Importing): string | Omit<Loss, 'path'> {
  const { known } = named
  if (known === undefined) return unknownVendor
  const concurrent = concurrencyOf(given, importing)
  if (known.type === 'bedrock') return make('bedrock', bedrockOptions(named, given, importing))
  const isKeyed =
    known.keyless !== true || (given.at('api_key').isThere && !isPlaceholder(given.at('api_key')))
  const headers = headersOf(given, importing, isKeyed)
  if (known.type === 'vertex') return make('vertex', { ...vertexOptions(given, importing), ...headers })
  if (known.type === 'azure') return make('azure', { ...azureOptions(given, importing), ...headers })
  return protocolVendor(known)

  function make(type: string, options: Readonly<Record<string, unknown>>): string {
    return importing.vendors.nameOf(type, { ...options, ...concurrent })
  }

  function protocolVendor(vendor: KnownVendor): string | Omit<Loss, 'path'> {
    const baseURL = baseOf(vendor, given, importing)
    const type =
      vendor.type === 'openai' && baseURL !== undefined && !isOpenAI(baseURL)
        ? 'openai-compatible'
        : vendor.type
    if (type === 'openai-compatible' && baseURL === undefined) return noBase
    const key = keyOf(vendor, type, given, importing)
    const organization =
      type === 'openai'
        ? settingsText(given.at('organization'), importing.variables, 'OPENAI_ORGANIZATION')
        : undefined
    const further = type === 'openai' && Object.keys(headers).length > 0 ? 'openai-compatible' : type
    const elsewhere =
      further !== type && baseURL === undefined ? { baseURL: 'https://api.openai.com/v1' } : {}
    return make(further, {
      ...(key === undefined ? {} : { apiKey: key }),
      ...elsewhere,
      ...(baseURL === undefined ? {} : { baseURL }),
      ...organizationOf(organization, further, headers),
    })
  }
}

const unknownVendor = {
  why: 'There is no vendor of that name here.',
  mend: 'Where it speaks the chat-completions protocol, give it a provider of the type openai-compatible with its baseURL.',
}
const noBase = {
  why: 'It does not say where its server is.',
  mend: 'Give a provider of the type openai-compatible with its baseURL, and a model that is answered there.',
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

function baseOf(vendor: KnownVendor, given: Part, { variables }: Importing): string | undefined {
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
  given: Part,
  { reading, variables }: Importing,
): string | undefined {
  const part = given.at('api_key')
  const isFree = vendor.keyless === true || type === 'openai-compatible'
  if (isFree && isPlaceholder(part)) {
    part.take()
    reading.note('A key that is a mere placeholder is left out: the server is asked without one.')
    return undefined
  }
  const key = secretText(part, variables, `${type}_API_KEY`)
  if (key !== undefined) return key
  return vendor.key === undefined || vendor.keyless === true ? undefined : variable(vendor.key)
}

function concurrencyOf(given: Part, { reading }: Importing): { readonly maxConcurrent?: number } {
  const maxConcurrent = given.at('max_parallel_requests').count(1)
  if (maxConcurrent === undefined) return {}
  reading.note(
    'Calls above maxConcurrent wait for their turn; LiteLLM refuses what is above max_parallel_requests.',
  )
  return { maxConcurrent }
}
