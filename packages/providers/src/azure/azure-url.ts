import { baseUrl } from '../base-url.ts'
import type { ApiVersion } from './api-version.ts'

/** Azure's address: the name of a resource, or the URL before `/openai`. */
export interface AzureEndpoint {
  readonly resource?: string | undefined
  readonly baseURL?: string | undefined
}

/** What is requested of a deployment, as the end of its path. */
export type AzureOperation = 'chat/completions' | 'embeddings' | 'responses' | 'moderations' | 'completions'

/**
 * Returns a function from a deployment and an operation to a URL. Throws `TypeError` unless exactly one of `resource` and `baseURL` is
 * given and valid.
 */
export function azureUrl(
  endpoint: AzureEndpoint,
  { api, version }: ApiVersion,
  owner: string,
): (deployment: string, operation: AzureOperation) => string {
  const root = `${rootOf(endpoint, owner)}/openai`
  const query = version === undefined ? '' : `?api-version=${version}`
  if (api === 'v1') return (_, operation) => `${root}/v1/${operation}${query}`
  return (deployment, operation) =>
    `${root}/deployments/${encodeURIComponent(deployment)}/${operation}${query}`
}

function rootOf({ resource, baseURL }: AzureEndpoint, owner: string): string {
  if (resource !== undefined && baseURL !== undefined)
    throw new TypeError(`${owner}: give resource or baseURL, not both.`)
  if (baseURL !== undefined) {
    const root = baseUrl(baseURL, owner, '/openai')
    if (/\/openai\/(?:v1|deployments)(?:\/|$)/.test(root))
      throw new TypeError(`${owner}: baseURL must end before /openai, such as https://name.openai.azure.com.`)
    return root
  }
  if (resource === undefined)
    throw new TypeError(
      `${owner}: resource or baseURL is missing. Give the name before .openai.azure.com, or a whole URL.`,
    )
  if (typeof resource !== 'string' || !/^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/i.test(resource))
    throw new TypeError(
      `${owner}: resource has to be the name before .openai.azure.com: letters, digits and hyphens.`,
    )
  return `https://${resource}.openai.azure.com`
}
