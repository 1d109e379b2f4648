import { relative } from 'node:path'
import { type CommandContext, CommandError } from '../command.ts'
import type { TypedConfig } from '../config/config.ts'
import { configsIn } from '../config/load/find-config.ts'
import type { LoadedConfig } from '../config/load-config.ts'
import { devConfig } from './dev-config.ts'
import type { DevSettings } from './dev-settings.ts'
import { discover, type LocalServer, lookups } from './discover.ts'
import { type EnvironmentVendor, environmentVendors, knownVendors } from './environment-vendors.ts'

/** What `sluice dev` serves, and what is to be said of it. */
export interface DevSource {
  readonly config: TypedConfig
  /** The file that it comes from, which is to be followed; `undefined` for what was found. */
  readonly loaded: LoadedConfig | undefined
  readonly notes: readonly string[]
}

type ModelSettings = Pick<DevSettings, 'config' | 'discover' | 'anyModel'>
type Surroundings = Pick<CommandContext, 'env' | 'cwd' | 'signal'>

/**
 * The configuration that is named or that the folder has, else one of what is found. Rejects with `CommandError` for a
 * configuration, or an environment, with an error.
 */
export function devSource(settings: ModelSettings, context: Surroundings): Promise<DevSource> {
  return settings.config !== undefined || configsIn(context.cwd).length > 0
    ? fileSource(settings, context)
    : foundSource(settings, context)
}

async function fileSource(
  { config: path, anyModel }: ModelSettings,
  context: Surroundings,
): Promise<DevSource> {
  if (anyModel) {
    throw new CommandError(
      "sluice dev: --any-model works without a configuration only. Add the provider local and the model '*': 'local/*' to the configuration instead.",
      2,
    )
  }
  const { loadConfig } = await import('../config/load-config.ts')
  const loaded = await loadConfig(path, context)
  const name = relative(context.cwd, loaded.file) || loaded.file
  return { config: loaded.config, loaded, notes: [`Serving ${name}. It is reloaded when it changes.`] }
}

async function foundSource(
  { discover: looks, anyModel }: ModelSettings,
  { env, signal }: Surroundings,
): Promise<DevSource> {
  const vendors = environmentVendors(env)
  const { list, fault } = lookups(env.OLLAMA_HOST)
  const servers = looks ? await discover(list, signal) : []
  const ollamaFault = looks ? fault : undefined
  const notes = devNotes({ vendors, servers, looked: looks, ollamaFault })
  return { config: devConfig({ vendors, servers, anyModel }), loaded: undefined, notes }
}

/** What of a start without a configuration is to be known. */
interface Findings {
  readonly vendors: readonly EnvironmentVendor[]
  readonly servers: readonly LocalServer[]
  /** Whether servers were looked for. */
  readonly looked: boolean
  readonly ollamaFault: string | undefined
}

/** What was found, and how to get what was not, in sentences. */
export function devNotes({ vendors, servers, looked, ollamaFault }: Findings): readonly string[] {
  const missing = knownVendors.filter(({ name }) => !vendors.some(vendor => vendor.name === name))
  const notes = [
    ...vendors.map(({ name, title, keyVariable }) => `${title}: models ${name}/..., with ${keyVariable}.`),
    ...servers.map(serverNote),
    ...(ollamaFault === undefined ? [] : [ollamaFault]),
    ...(servers.length > 0 || !looked
      ? []
      : ['No Ollama, llama.cpp, LM Studio or vLLM was found on this machine.']),
  ]
  const some = missing.slice(0, 3).map(({ keyVariable }) => keyVariable)
  return [
    ...(notes.length === 0 ? [] : [notes.join('\n')]),
    `local() is a built-in fake, not a language model. Where it answers for another model, the response header\nx-sluice-adjustments says so, and owned_by in the list of models is local.${
      some.length === 0
        ? ''
        : `\nFor models of ${vendors.length === 0 ? 'a vendor' : 'further vendors'}, set ${some.join(', ')} or another vendor's key. npx sluice init writes a configuration.`
    }`,
  ]
}

function serverNote({ name, title, origin, models, unusable }: LocalServer): string {
  const count = models.length === 1 ? '1 model' : `${models.length} models`
  const left = unusable === 0 ? '' : ` ${unusable} more have names that requests cannot use.`
  const how = models.length === 0 ? 'without models' : `with ${count}, called ${name}/...`
  return `Found ${title} at ${origin.replace('http://', '')}, ${how}.${left}`
}
