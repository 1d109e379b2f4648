import type { Config, ProviderConfig } from '../config/config.ts'
import type { LocalServer } from './discover.ts'
import type { EnvironmentVendor } from './environment-vendors.ts'
import { catalogue, knownModels } from './known-models.ts'

/** What `sluice dev` serves where there is no configuration. */
export interface DevFacts {
  readonly vendors: readonly EnvironmentVendor[]
  readonly servers: readonly LocalServer[]
  /** Whether `local` answers every other name, too. Default: no. */
  readonly anyModel?: boolean
}

/**
 * A configuration made of what was found: the models of each vendor and server that can be reached, `local`, the stand-in, the
 * models that are always there, and the known models of other vendors. They are in this order, because banner, console and
 * clients offer the first one. Nothing that a vendor should answer is answered by the stand-in where the vendor fails.
 */
export function devConfig({ vendors, servers, anyModel = false }: DevFacts): Config {
  const providers: Record<string, ProviderConfig> = {}
  const models: Record<string, string> = {}
  for (const { name, apiKey, baseURL } of vendors) {
    providers[name] = { apiKey, ...(baseURL === undefined ? {} : { baseURL }) }
  }
  for (const { name, origin } of servers) providers[name] = { baseURL: `${origin}/v1` }
  providers.local = {}
  for (const { name } of vendors) for (const id of knownModels[name] ?? []) models[id] = `${name}/${id}`
  for (const server of servers) {
    for (const model of server.models) models[`${server.name}/${model}`] = `${server.name}/${model}`
  }
  models.local = 'local/local'
  for (const [name, { provider, model }] of catalogue(Object.keys(providers)))
    models[name] ??= `${provider}/${model}`
  for (const id of Object.values(knownModels).flat()) models[id] ??= `local/${id}`
  for (const { name } of [...vendors, ...servers]) models[`${name}/*`] = `${name}/*`
  if (anyModel) models['*'] = 'local/*'
  return { providers, models, limits: [{ kind: 'requests', limit: 60, per: 'minute' }] }
}
