import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { CommandContext } from '../command.ts'
import type { TypedConfig } from '../config/config.ts'
import type { Service } from '../service/service.ts'
import { ListenFault, nextFreePort } from '../service/service-listen-error.ts'
import { startService } from '../service/start-service.ts'
import { watchedConfig } from '../service/watch-config.ts'
import { banner, modelToTry, shownModels } from './banner.ts'
import { devDatabaseFile, devDatabaseUrl, makeDevFolder } from './dev-database.ts'
import { devOverlay, withLabelledStandIns } from './dev-overlay.ts'
import type { DevSettings } from './dev-settings.ts'
import type { DevSource } from './dev-source.ts'

/** Serves until the world's signal says that it is to end. Resolves to the exit code. */
export async function serveDev(
  settings: DevSettings,
  source: DevSource,
  world: CommandContext,
): Promise<number> {
  const key = settings.apiKey ?? mintedKey('sk-sluice')
  const adminKey = settings.console ? mintedKey('admin') : undefined
  const devUrl = devDatabaseUrl(world.cwd)
  const overlaid = (config: TypedConfig): TypedConfig =>
    devOverlay(config, { key, adminKey, database: settings.database, devDatabase: devUrl })
  const config = overlaid(source.loaded === undefined ? withLabelledStandIns(source.config) : source.config)
  if (config.state?.database === devUrl) makeDevFolder(world.cwd)
  const { service, taken } = await startedOnFreePort(config, world, settings)
  const followed =
    source.loaded === undefined
      ? undefined
      : watchedConfig(service, source.loaded, world, { overlay: overlaid })
  try {
    if (world.signal.aborted) return 0
    world.print(bannerOf(service))
    await once(world.signal, 'abort')
    return 0
  } finally {
    await followed?.close()
    await service.close()
  }

  function bannerOf({ url, baseURL, consoleURL }: Service): string {
    const models = shownModels(source.config)
    const isOwn = typeof source.config.console === 'object'
    const page = consoleURL === undefined ? undefined : reachableUrl(consoleURL)
    return banner({
      baseURL: reachableUrl(baseURL),
      key,
      keySource: keySource(settings, source.config),
      limit: source.loaded === undefined ? '60 requests a minute' : undefined,
      consoleURL: page === undefined || isOwn ? page : `${page}#key=${adminKey}`,
      keptIn: keptIn(config.state?.database, devUrl),
      models,
      platform: world.platform,
      tried: asksItself(source.config) ? undefined : modelToTry(models),
      notes: [
        ...(taken === undefined
          ? []
          : [`Another program uses port ${taken}, so Sluice listens on ${new URL(url).port}.`]),
        ...source.notes,
        ...(reachableUrl(url) === url
          ? []
          : ['It listens on all addresses of this machine, for whoever can reach them.']),
      ],
    })
  }
}

function keySource({ apiKey }: DevSettings, config: TypedConfig): string {
  if (asksItself(config)) return 'The configuration decides by itself who may call: it may not take this key.'
  return apiKey === undefined
    ? 'Made for this run. Set SLUICE_API_KEY to choose your own.'
    : 'From SLUICE_API_KEY.'
}

/** Keys are then not looked at. */
function asksItself({ gateway }: TypedConfig): boolean {
  return gateway?.authenticate !== undefined
}

function keptIn(database: string | undefined, devUrl: string): string {
  if (database === devUrl) return `${devDatabaseFile} (keys and usage)`
  if (database === ':memory:') return 'memory: keys and usage are gone when it stops'
  return /^file:/i.test(database ?? '')
    ? `${database?.slice('file:'.length)} (keys and usage)`
    : 'PostgreSQL (keys and usage)'
}

const maxStarts = 5

/** A service on the port that was asked for, or on the next free one; then `taken` is the port that another program uses. */
async function startedOnFreePort(
  config: TypedConfig,
  world: CommandContext,
  { host, port }: DevSettings,
): Promise<{ readonly service: Service; readonly taken: number | undefined }> {
  let taken: number | undefined
  let asked = port
  for (let start = 1; ; start++) {
    try {
      return { service: await startService(config, world, { host, port: asked, checkHost: true }), taken }
    } catch (error) {
      const used = error instanceof ListenFault ? error.portInUse : undefined
      const free = used === undefined || start === maxStarts ? undefined : await nextFreePort(used)
      if (free === undefined) throw error
      taken ??= used!.port
      asked = free
    }
  }
}

/** A key that is made for one run: 192 random bits behind a word that says whose it is. */
export function mintedKey(word: string, random: (size: number) => Buffer = randomBytes): string {
  return `${word}-${random(24).toString('base64url')}`
}

/** The address that means "all of them" is none to call: the same place on this machine. */
export function reachableUrl(url: string): string {
  return url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')
}
