import { CommandFault, type World } from '../command.ts'
import { type KnownVendor, knownVendors } from './known-vendors.ts'

/** A vendor for whose key there is a variable, and how it is reached. */
export interface EnvironmentVendor extends KnownVendor {
  readonly apiKey: string
  readonly baseURL: string | undefined
}

/**
 * The vendors that can be reached by the environment. An empty variable counts as unset. Throws `CommandFault` for a key or
 * a URL that cannot be one; the message tells the variable, and never what is in it.
 */
export function environmentVendors(env: World['env']): readonly EnvironmentVendor[] {
  return knownVendors.flatMap(vendor => {
    const apiKey = env[vendor.keyVariable] || undefined
    if (apiKey === undefined) return []
    if (!/^[\x21-\x7e]+$/.test(apiKey)) {
      throw new CommandFault(
        `${vendor.keyVariable} holds something that no key has, such as a space or a line break. Set it again, without that.`,
      )
    }
    const baseURL = env[vendor.baseVariable] || undefined
    if (baseURL !== undefined && !isBaseUrl(baseURL)) {
      throw new CommandFault(
        `${vendor.baseVariable} is no base URL. Expected http or https, a host and a path, such as https://host/v1, without credentials, query or fragment.`,
      )
    }
    return [{ ...vendor, apiKey, baseURL }]
  })
}

function isBaseUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, username, password } = new URL(text)
  return /^https?:$/.test(protocol) && username === '' && password === '' && !/[?#]/.test(text)
}
