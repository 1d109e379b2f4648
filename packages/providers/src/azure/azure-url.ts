import { baseUrl } from '../base-url.ts'
import type { ApiVersion } from './api-version.ts'

/** Where Azure is: by the name of a resource, or by the URL that stands before `/openai`. */
export interface AzurePlace {
  readonly resource?: string | undefined
  readonly baseURL?: string | undefined
}

/**
 * The URL at which a deployment is asked. Throws `TypeError` where not exactly one of `resource` and `baseURL` is
 * given, or where it cannot be used.
 */
export function azureUrl(
  place: AzurePlace,
  { api, version }: ApiVersion,
  owner: string,
): (deployment: string) => string {
  const root = `${rootOf(place, owner)}/openai`
  const query = version === undefined ? '' : `?api-version=${version}`
  if (api === 'v1') return () => `${root}/v1/chat/completions${query}`
  return deployment => `${root}/deployments/${encodeURIComponent(deployment)}/chat/completions${query}`
}

function rootOf({ resource, baseURL }: AzurePlace, owner: string): string {
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
