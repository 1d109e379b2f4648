import { type ImportContext, variable } from '../import-context.ts'
import type { ImportNode } from '../import-reader.ts'

/** How a vendor that Portkey names is reached. */
export interface PortkeyVendor {
  readonly type: string
  /** The variable that its key is read from where the file has none. */
  readonly key?: string
  readonly baseURL?: string
  /** Whether it has embeddings and nothing else. */
  readonly embeddingsOnly?: true
}

/** By Portkey's names. */
const vendors: Readonly<Record<string, PortkeyVendor>> = {
  openai: { type: 'openai', key: 'OPENAI_API_KEY' },
  anthropic: { type: 'anthropic', key: 'ANTHROPIC_API_KEY' },
  'azure-openai': { type: 'azure', key: 'AZURE_API_KEY' },
  bedrock: { type: 'bedrock' },
  'vertex-ai': { type: 'vertex' },
  google: { type: 'gemini', key: 'GEMINI_API_KEY' },
  groq: { type: 'groq', key: 'GROQ_API_KEY' },
  'mistral-ai': { type: 'mistral', key: 'MISTRAL_API_KEY' },
  deepseek: { type: 'deepseek', key: 'DEEPSEEK_API_KEY' },
  'x-ai': { type: 'xai', key: 'XAI_API_KEY' },
  openrouter: { type: 'openrouter', key: 'OPENROUTER_API_KEY' },
  'together-ai': { type: 'together', key: 'TOGETHER_API_KEY' },
  'fireworks-ai': { type: 'fireworks', key: 'FIREWORKS_API_KEY' },
  cerebras: { type: 'cerebras', key: 'CEREBRAS_API_KEY' },
  'perplexity-ai': { type: 'perplexity', key: 'PERPLEXITY_API_KEY' },
  ollama: { type: 'ollama' },
  voyage: { type: 'voyage', key: 'VOYAGE_API_KEY', embeddingsOnly: true },
  cohere: { type: 'cohere', key: 'COHERE_API_KEY' },
  deepinfra: {
    type: 'openai-compatible',
    key: 'DEEPINFRA_API_KEY',
    baseURL: 'https://api.deepinfra.com/v1/openai',
  },
}

export function portkeyVendor(name: string): PortkeyVendor | undefined {
  return Object.hasOwn(vendors, name) ? vendors[name] : undefined
}

/** The vendor that a name of the user's own begins with: `openai-prod`. Longer names go first. */
export function vendorBySlug(slug: string): PortkeyVendor | undefined {
  const [found] = Object.keys(vendors)
    .filter(name => slug === name || slug.startsWith(`${name}-`))
    .sort((a, b) => b.length - a.length)
  return found === undefined ? undefined : vendors[found]
}

/** The variables that vendors' keys are read from. */
export const vendorKeys: readonly string[] = Object.values(vendors).flatMap(({ key }) => key ?? [])

/** A provider of ours. */
interface VendorOptions {
  readonly type: string
  readonly options: Readonly<Record<string, unknown>>
  /** The model that the target itself names. */
  readonly model?: string | undefined
}

/** How a target's vendor is reached; `undefined` where the file does not say. */
export function vendorOptions(
  vendor: PortkeyVendor,
  target: ImportNode,
  context: ImportContext,
): VendorOptions | undefined {
  const { reader, variables } = context
  const text = (name: string) => {
    const part = eitherCase(target, name)
    const value = part.text()
    return value === undefined ? undefined : variables.plain(value, name, part)
  }
  const secret = (name: string, wanted: string) => {
    const part = eitherCase(target, name)
    const value = part.text()
    return value === undefined ? undefined : variables.secret(value, wanted, part)
  }
  if (vendor.type === 'bedrock') return bedrock()
  if (vendor.type === 'vertex') return vertex()
  const apiKey =
    secret('api_key', `${vendor.type}_API_KEY`) ??
    (vendor.key === undefined ? undefined : variable(vendor.key))
  const key = apiKey === undefined ? {} : { apiKey }
  if (vendor.type === 'azure') return azure()
  const baseURL = text('custom_host')?.replace(/\/+$/, '') ?? vendor.baseURL
  const isElsewhere =
    vendor.type === 'openai' && baseURL !== undefined && !baseURL.startsWith('https://api.openai.com/')
  return {
    type: isElsewhere ? 'openai-compatible' : vendor.type,
    options: {
      ...key,
      ...(baseURL === undefined ? {} : { baseURL }),
      ...(vendor.type === 'openai' && !isElsewhere ? organization() : {}),
      ...(vendor.type === 'anthropic' ? anthropic() : {}),
    },
  }

  function organization(): Record<string, string> {
    const [own, project] = [text('openai_organization'), text('openai_project')]
    return {
      ...(own === undefined ? {} : { organization: own }),
      ...(project === undefined ? {} : { project }),
    }
  }

  function anthropic(): Record<string, unknown> {
    const [beta, version] = [text('anthropic_beta'), text('anthropic_version')]
    return {
      ...(beta === undefined ? {} : { beta: beta.split(/\s*,\s*/) }),
      ...(version === undefined ? {} : { version }),
    }
  }

  function azure(): VendorOptions | undefined {
    const resource = text('resource_name')
    if (resource === undefined) return undefined
    const apiVersion = text('api_version')
    return {
      type: 'azure',
      options: { resource, ...key, ...(apiVersion === undefined ? {} : { apiVersion }) },
      model: text('deployment_id'),
    }
  }

  function bedrock(): VendorOptions | undefined {
    const region = text('aws_region')
    if (region === undefined) return undefined
    const accessKeyId = secret('aws_access_key_id', 'AWS_ACCESS_KEY_ID') ?? variable('AWS_ACCESS_KEY_ID')
    const secretAccessKey =
      secret('aws_secret_access_key', 'AWS_SECRET_ACCESS_KEY') ?? variable('AWS_SECRET_ACCESS_KEY')
    const sessionToken = secret('aws_session_token', 'AWS_SESSION_TOKEN')
    const session = sessionToken === undefined ? {} : { sessionToken }
    return { type: 'bedrock', options: { region, credentials: { accessKeyId, secretAccessKey, ...session } } }
  }

  function vertex(): VendorOptions | undefined {
    const [project, location] = [text('vertex_project_id'), text('vertex_region')]
    if (project === undefined || location === undefined) return undefined
    reader.note(
      'Vertex AI is called with the access token in VERTEX_TOKEN, which expires after an hour. In a TypeScript configuration, vertex({ tokenProvider }) renews it.',
    )
    return { type: 'vertex', options: { project, location, token: variable('VERTEX_TOKEN') } }
  }
}

/** A member in snake case, which Portkey's pages have, or in camel case, which it takes too. */
export function eitherCase(part: ImportNode, name: string): ImportNode {
  const snake = part.at(name)
  return snake.isThere
    ? snake
    : part.at(name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()))
}
