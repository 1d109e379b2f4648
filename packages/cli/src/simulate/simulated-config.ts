import { relative } from 'node:path'
import { apiKeys, type GatewayOptions, type Target } from '@sluice/core'
import { memoryCacheStore } from '@sluice/core/store'
import type { GatewayEnvironment, SimulationOptions, Traffic } from '@sluice/testing/simulation'
import { CommandError } from '../command.ts'
import { checkConfig, recheckConfig } from '../config/check-config.ts'
import { compileConfig } from '../config/compile-config.ts'
import type { TypedConfig } from '../config/config.ts'
import { gatewayOptions } from '../config/gateway-options.ts'
import { suggest } from '../config/issues/issue-list.ts'
import { findConfig } from '../config/load/find-config.ts'
import { readSource } from '../config/load/read-source.ts'
import type { ConfigContext } from '../config/load-config.ts'
import { VendorPool, type VendorSet } from '../config/providers/vendor-pool.ts'
import { vendors } from '../config/providers/vendors.ts'
import { isPlainObject } from '../config/shape/collections.ts'
import { loadPrices } from '../service/load-prices.ts'
import { type SimulatedTraffic, simulatedKey } from './read-traffic.ts'

/** A configuration that can be simulated. */
export interface SimulatedConfig {
  /** The name of its file. */
  readonly name: string
  readonly createOptions: SimulationOptions['createOptions']
  /** The names of its providers. */
  readonly providers: readonly string[]
  /** What differs from the service, in sentences. */
  readonly notes: readonly string[]
}

/** What stands for a secret that is not set: no vendor gets it. */
const placeholder = 'simulated'

/** Types of providers whose answers the simulation cannot write, and why. */
const unsupported: Readonly<Record<string, string>> = {
  bedrock: 'its streams are binary',
  vertex: 'it fetches tokens from Google',
  voyage: 'it has embeddings only',
  jina: 'it has embeddings only',
}

/**
 * Loads a configuration for a simulation. Its providers call modelled upstreams; its keys, limits, routes and prices are its own.
 *
 * Rejects with `CommandError`, which lists what is invalid, what the traffic names and the configuration has not, and what cannot
 * be simulated.
 */
export async function loadSimulatedConfig(
  path: string | undefined,
  { traffic, stores }: Pick<SimulatedTraffic, 'traffic' | 'stores'>,
  context: ConfigContext,
): Promise<SimulatedConfig> {
  const file = findConfig(path, context.cwd)
  const name = relative(context.cwd, file) || file
  const source = await readSource(file, name)
  const missing = unsetVariables(source.value, context.env)
  const env = { ...context.env, ...Object.fromEntries(missing.map(each => [each, `${placeholder}-${each}`])) }
  const { config: given, issues } = checkConfig(source, name, env)
  const config = withPlaceholders(given)
  // Before it is compiled, for which a provider may need credentials.
  throwIfAny(name, unsupportedParts(config, traffic))
  const compiled = compileConfig(config, issues, new VendorPool())
  throwIfAny(
    name,
    unknownNames(
      traffic,
      given,
      compiled.route.list().map(({ id }) => id),
    ),
  )
  const prices = await loadPrices(config, context.cwd)
  const cacheStores = new WeakMap<object, ReturnType<typeof memoryCacheStore>>()
  const createOptions = (environment: GatewayEnvironment): GatewayOptions => {
    const { clock, storeClock, generateId, limitStore, sharedHealth, ledger, simulated } = environment
    const { state, gateway } = config
    // Gateways of one simulation have one clock of stores.
    const cacheStore = cacheStores.get(storeClock) ?? memoryCacheStore({ now: storeClock.monotonic })
    if (state?.redis !== undefined) cacheStores.set(storeClock, cacheStore)
    const own = recheckConfig(config)
    const options = gatewayOptions(compileConfig(own.config, own.issues, simulatedVendors(simulated)), {
      database: undefined,
      limitStore: state?.redis === undefined ? undefined : limitStore,
      limitSources: { clock, generateId },
      cacheStore,
      health: state?.redis === undefined ? undefined : sharedHealth,
      prices,
      observe: undefined,
    })
    return {
      ...options,
      ...(state?.database !== undefined && { ledger }),
      ...(gateway?.authenticate === undefined && { authenticate: callersOf(config, traffic, environment) }),
    }
  }
  return { name, createOptions, providers: compiled.vendors.names, notes: notesOf(config, missing, stores) }
}

/** The variables that a configuration needs and the environment has not. Keys of vendors are not needed here. */
function unsetVariables(value: unknown, env: ConfigContext['env']): readonly string[] {
  const text = JSON.stringify(value) ?? ''
  const names = [...text.matchAll(/(?<!\$)\$\{([A-Za-z_]\w*)\}/g)].map(([, name]) => name!)
  return [...new Set(names)].filter(name => env[name] === undefined).sort()
}

/** Providers without a key get one that no vendor sees; tokens of identity providers and services beside it are left out. */
function withPlaceholders({ jwt, alerts: _, ...config }: TypedConfig): TypedConfig {
  const providers = Object.entries(config.providers ?? {}).map(([name, provider]) => {
    if (typeof provider !== 'object' || provider.apiKey !== undefined) return [name, provider] as const
    const members = vendors[provider.type ?? name]?.members ?? {}
    return [name, Object.hasOwn(members, 'apiKey') ? { ...provider, apiKey: placeholder } : provider] as const
  })
  // A configuration needs a kind of caller.
  const replaced = jwt !== undefined && config.keys === undefined
  return {
    ...config,
    ...(replaced && { keys: [{ id: placeholder, key: simulatedKey(placeholder) }] }),
    ...(config.providers !== undefined && { providers: Object.fromEntries(providers) }),
  }
}

/** The callers of the configuration with the keys that the clients of the simulation send. */
function callersOf({ keys = [] }: TypedConfig, traffic: Traffic, { clock }: GatewayEnvironment) {
  const known = keys.map(({ key: _, hash: __, ...record }) => ({ ...record, key: simulatedKey(record.id) }))
  const others = keysOf(traffic).filter(id => known.every(each => each.id !== id))
  return apiKeys([...known, ...others.map(id => ({ id, key: simulatedKey(id) }))], { clock })
}

function keysOf({ clients }: Traffic): readonly string[] {
  return [...new Set(clients.flatMap(({ keys }) => keys.map(({ id }) => id)))]
}

function modelsOf({ clients }: Traffic): readonly string[] {
  return [...new Set(clients.flatMap(({ models }) => models.map(({ model }) => model)))]
}

function unknownNames(
  traffic: Traffic,
  { keys, gateway, jwt, state, models }: TypedConfig,
  names: readonly string[],
): readonly string[] {
  const ids = keys?.map(({ id }) => id) ?? []
  // Keys that are issued, and tokens, are in no file.
  const isOpen = gateway?.authenticate !== undefined || jwt !== undefined || state?.database !== undefined
  const unknownKeys = isOpen ? [] : keysOf(traffic).filter(id => !ids.includes(id))
  const patterns = Object.keys(models).filter(each => each.includes('*'))
  const unknownModels = patterns.length > 0 ? [] : modelsOf(traffic).filter(model => !names.includes(model))
  const problem = (what: string, name: string, known: readonly string[]) =>
    `- The traffic has the ${what} '${name}', expected one of ${known.join(', ')}. ${suggest(name, known) ?? ''}`.trim()
  return [
    ...unknownKeys.map(id => problem('key', id, ids)),
    ...unknownModels.map(model => problem('model', model, names)),
  ]
}

function unsupportedParts(
  { providers = {}, models = {}, hooks = [] }: TypedConfig,
  traffic: Traffic,
): readonly string[] {
  const routes = textsReached(modelsOf(traffic), models)
  const problems = Object.entries(providers).flatMap(([name, provider]) => {
    const type = (typeof provider === 'object' ? provider.type : undefined) ?? name
    const isCalled = routes.some(text => text.startsWith(`${name}/`))
    return isCalled && Object.hasOwn(unsupported, type)
      ? [`- The provider '${name}' (${type}): ${unsupported[type]}.`]
      : []
  })
  const hasWebhook = hooks.some(hook => 'type' in hook && hook.type === 'webhook')
  return [...problems, ...(hasWebhook ? ['- The hook webhook: it calls another server.'] : [])]
}

/** The texts in the routes of models, and in those of the models that these name. */
function textsReached(names: readonly string[], models: TypedConfig['models']): readonly string[] {
  const reached = new Set<string>()
  const visit = (route: unknown): void => {
    if (typeof route === 'string') {
      if (reached.has(route)) return
      reached.add(route)
      if (Object.hasOwn(models, route)) visit(models[route])
    } else if (Array.isArray(route) || isPlainObject(route)) Object.values(route).forEach(visit)
  }
  const patterns = Object.keys(models).filter(name => name.includes('*'))
  for (const name of names) {
    if (Object.hasOwn(models, name)) visit(models[name])
    else for (const pattern of patterns) visit(models[pattern])
  }
  return [...reached]
}

function throwIfAny(name: string, problems: readonly string[]): void {
  if (problems.length > 0) throw new CommandError(`${name} cannot be simulated:\n${problems.join('\n')}`)
}

/** The providers of the configuration, each with the modelled upstream of its name. */
function simulatedVendors(simulated: (target: Target) => Target): Pick<VendorPool, 'take'> {
  const pool = new VendorPool()
  return {
    take: (config, location) => {
      const set: VendorSet = pool.take(config, location)
      return {
        ...set,
        make: name => {
          const make = set.make(name)
          return make && ((model, capabilities) => simulated(make(model, capabilities)))
        },
      }
    },
  }
}

function notesOf(
  { state, hooks, cache }: TypedConfig,
  missing: readonly string[],
  stores: SimulatedTraffic['stores'] = {},
): readonly string[] {
  return [
    ...(missing.length > 0 ? [`Not set, and replaced by a placeholder: ${missing.join(', ')}.`] : []),
    ...(state?.redis === undefined
      ? []
      : ['Limits and the health of targets are shared over modelled stores.']),
    ...(stores.limits !== undefined && state?.redis === undefined
      ? [
          'The store of limits in the traffic has no effect: without state.redis each gateway counts by itself.',
        ]
      : []),
    ...(stores.health !== undefined && state?.redis === undefined
      ? ['The store of health in the traffic has no effect: without state.redis no health is shared.']
      : []),
    ...(stores.ledger !== undefined && state?.database === undefined
      ? ['The store of the ledger in the traffic has no effect: there is no state.database.']
      : []),
    ...(cache === undefined
      ? []
      : [
          'The cache has no effect: each simulated request has its own prompt, so no response is found in it.',
        ]),
    ...(hooks?.length ? ['Hooks run as configured; what a hook of your own waits for is real time.'] : []),
  ]
}
