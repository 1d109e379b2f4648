import type { Importing } from '../importing.ts'
import type { Part } from '../part.ts'
import { variable } from '../variables.ts'
import { secretText, settingsText } from './settings-text.ts'

const resourceHost = /^https:\/\/([a-z0-9-]+)\.openai\.azure\.com\/?$/i

/** A deployment on Azure. What it does not say, LiteLLM reads from variables, and so it is read here. */
export function azureOptions(given: Part, { reading, variables }: Importing): Record<string, unknown> {
  const base = settingsText(given.at('api_base'), variables, 'AZURE_API_BASE')
  const resource = base === undefined ? undefined : resourceHost.exec(base)?.[1]
  const apiVersion = settingsText(given.at('api_version'), variables, 'AZURE_API_VERSION')
  const token = secretText(given.at('azure_ad_token'), variables, 'AZURE_AD_TOKEN')
  const ownKey = secretText(given.at('api_key'), variables, 'AZURE_API_KEY')
  if (token !== undefined)
    reading.note(
      'An Entra token lasts for about an hour. In a TypeScript configuration azure({ tokenProvider }) renews it.',
    )
  const apiKey = ownKey ?? (token === undefined ? variable('AZURE_API_KEY') : undefined)
  if (apiVersion === undefined)
    reading.note(
      'Azure is asked by its v1 API where no api_version is given; set apiVersion for the classic one.',
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
