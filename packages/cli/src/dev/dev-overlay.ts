import type { Adjustment, Target } from '@sluice/core'
import type { EncodedRequest, Provider } from '@sluice/core/provider'
import { local } from '@sluice/providers'
import type { TypedConfig } from '../config/config.ts'

/** What `sluice dev` adds to a configuration. */
interface DevAddition {
  readonly key: string
  /** Of the page, where the configuration has none of its own; `undefined` for no page at all. */
  readonly adminKey: string | undefined
  /** `--database`, which goes before what the configuration says. */
  readonly database: string | undefined
  /** Where keys and the ledger are kept where neither says so; `undefined` where no file can be opened. */
  readonly devDatabase: string | undefined
}

/** A configuration as `sluice dev` serves it: with a key to try it, the page, and a place to keep things. */
export function devOverlay(config: TypedConfig, addition: DevAddition): TypedConfig {
  const { key, adminKey, database, devDatabase } = addition
  const url = database ?? config.state?.database
  const opened = url ?? devDatabase
  const responses = url === undefined ? inMemory(config) : config.responses
  const own = typeof config.console === 'object' ? config.console : undefined
  const page = adminKey === undefined || config.console === false ? false : (own ?? { adminKey })
  const alerts = config.alerts ?? (page === false ? undefined : alertsOfPage(config))
  return {
    ...config,
    keys: [...(config.keys ?? []), { id: freeId(config), key }],
    ...(opened !== undefined && { state: { ...config.state, database: opened } }),
    ...(responses !== undefined && { responses }),
    ...(alerts !== undefined && { alerts }),
    console: page,
  }
}

/** Alerts that only the page shows. None with a Redis: they would claim those of other processes there, and send them nowhere. */
function alertsOfPage({ state }: TypedConfig): TypedConfig['alerts'] {
  return state?.redis === undefined ? {} : undefined
}

/** Texts are in no file unless the configuration names one. */
function inMemory({ responses, state }: TypedConfig): TypedConfig['responses'] {
  return responses === false || state?.redis !== undefined ? responses : { store: 'memory', ...responses }
}

/** `dev`, or what is not taken by the configuration's own callers. */
function freeId({ keys = [] }: TypedConfig): string {
  const taken = new Set(keys.map(({ id }) => id))
  for (let count = 1; ; count++) {
    const id = count === 1 ? 'dev' : `dev-${count}`
    if (!taken.has(id)) return id
  }
}

const label: readonly Adjustment[] = Object.freeze([
  { parameter: 'model', action: 'mapped', detail: 'local(), a stand-in and not a language model' },
])

/**
 * A configuration in which `local` labels its answers for every model but itself: the header `x-sluice-adjustments` says
 * that another model has answered.
 */
export function withLabelledLocalModels(config: TypedConfig): TypedConfig {
  const { provider } = local()
  const labelled: Provider = {
    ...provider,
    encode: async call => {
      const request: EncodedRequest = await provider.encode(call)
      const { adjustments = [] } = request
      return { ...request, adjustments: [...label, ...adjustments] }
    },
  }
  const models = Object.entries(config.models).map(([name, route]) => {
    const model = typeof route === 'string' ? /^local\/(.+)$/.exec(route)?.[1] : undefined
    if (model === undefined || name === 'local') return [name, route] as const
    const target: Target = { provider: labelled, model: model === '*' ? 'local' : model }
    return [name, target] as const
  })
  return { ...config, models: Object.fromEntries(models) }
}
