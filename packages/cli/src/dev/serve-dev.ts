import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { CommandContext } from '../command.ts'
import type { TypedConfig } from '../config/config.ts'
import { pricesText } from '../service/load-prices.ts'
import type { Service } from '../service/service.ts'
import { nextFreePort, ServiceListenError } from '../service/service-listen-error.ts'
import { startService } from '../service/start-service.ts'
import { watchConfig } from '../service/watch-config.ts'
import { sqliteLibrary } from '../state/state-packages.ts'
import { storageText } from '../state/storage-text.ts'
import { banner, modelToTry, shownModels } from './banner.ts'
import { devDatabaseFile, devDatabaseUrl, makeDevFolder } from './dev-database.ts'
import { devOverlay, withLabelledLocalModels } from './dev-overlay.ts'
import type { DevSettings } from './dev-settings.ts'
import type { DevSource } from './dev-source.ts'
import { networkUrls } from './network-urls.ts'
import { consoleOpener } from './open-console.ts'
import { reachableUrl } from './reachable-url.ts'
import { runShortcut, shortcutsOf } from './shortcuts.ts'

/** Serves until the world's signal says that it is to end. Resolves to the exit code. */
export async function serveDev(
  settings: DevSettings,
  source: DevSource,
  context: CommandContext,
): Promise<number> {
  const key = settings.apiKey ?? createKey('sk-sluice')
  const adminKey = settings.console ? createKey('admin') : undefined
  const devUrl = devDatabaseUrl(context.cwd)
  const library = await sqliteLibrary(context.cwd)
  const devDatabase = library && devUrl
  const overlaid = (config: TypedConfig): TypedConfig =>
    devOverlay(config, { key, adminKey, database: settings.database, devDatabase })
  const config = overlaid(
    source.loaded === undefined ? withLabelledLocalModels(source.config) : source.config,
  )
  if (config.state?.database === devUrl) makeDevFolder(context.cwd)
  const { service, taken } = await startOnFreePort(config, context, settings)
  const followed =
    source.loaded === undefined
      ? undefined
      : watchConfig(service, source.loaded, context, { overlay: overlaid })
  const consoleURL = consoleUrlOf(service)
  const opener = consoleOpener(consoleURL, context)
  const quitting = new AbortController()
  const ending = AbortSignal.any([context.signal, quitting.signal])
  const shortcuts = shortcutsOf({
    reload: async () => {
      if (followed !== undefined) await followed.reload()
      else context.log('There is no configuration to reload. sluice init writes one.')
    },
    showUrls: () => context.print(urlsText(service)),
    open: () => opener.open(),
    clear: () => context.print('\u001B[2J\u001B[3J\u001B[H'),
    quit: () => quitting.abort(),
  })
  const unsubscribe = context.onLine?.(line => runShortcut(line, shortcuts, context.print))
  try {
    if (ending.aborted) return 0
    context.print(bannerOf(service))
    // Some programs that open a URL run for as long as the browser does.
    if (settings.open) void opener.open()
    if (!ending.aborted) await once(ending, 'abort')
    return 0
  } finally {
    unsubscribe?.()
    opener.close()
    await followed?.close()
    await service.close()
  }

  /** The console's URL, with the admin key where that was made for this run. */
  function consoleUrlOf({ consoleURL: url }: Service): string | undefined {
    if (url === undefined) return undefined
    const page = reachableUrl(url)
    return typeof source.config.console === 'object' ? page : `${page}#key=${adminKey}`
  }

  function urlsText({ baseURL }: Service): string {
    return [reachableUrl(baseURL), ...networkUrls(baseURL, context.networkAddresses()), consoleURL]
      .filter(url => url !== undefined)
      .join('\n')
  }

  function bannerOf({ url, baseURL, responseStorage, bodyStorage }: Service): string {
    const models = shownModels(source.config)
    return banner({
      baseURL: reachableUrl(baseURL),
      key,
      keySource: keySource(settings, source.config),
      limit: source.loaded === undefined ? '60 requests a minute' : undefined,
      consoleURL,
      networkURLs: networkUrls(baseURL, context.networkAddresses()),
      shortcuts: context.onLine !== undefined,
      storage: storageText({
        database: config.state?.database,
        library,
        devFile: { name: devDatabaseFile, url: devUrl },
      }),
      responses:
        responseStorage === 'not stored'
          ? responseStorage
          : `${responseStorage} (Responses API; responses: false in a configuration stores none)`,
      prices: pricesText(config),
      models,
      platform: context.platform,
      tried: hasOwnAuthenticate(source.config) ? undefined : modelToTry(models),
      notes: [
        ...(taken === undefined
          ? []
          : [`Port ${taken} is in use by another program: listening on ${new URL(url).port} instead.`]),
        ...source.notes,
        ...(bodyStorage === undefined ? [] : [`Bodies of requests and responses are ${bodyStorage}.`]),
        ...(reachableUrl(url) === url
          ? []
          : ['Listening on all addresses of this machine: other machines may be able to connect.']),
      ],
    })
  }
}

function keySource({ apiKey }: DevSettings, config: TypedConfig): string {
  if (hasOwnAuthenticate(config))
    return 'The configuration has its own authenticate, which may not accept this key.'
  return apiKey === undefined
    ? 'Created for this run. Set SLUICE_API_KEY to use your own.'
    : 'From SLUICE_API_KEY.'
}

/** Keys are then not looked at. */
function hasOwnAuthenticate({ gateway }: TypedConfig): boolean {
  return gateway?.authenticate !== undefined
}

const maxStarts = 5

/** A service on the port that was asked for, or on the next free one; then `taken` is the port that another program uses. */
async function startOnFreePort(
  config: TypedConfig,
  context: CommandContext,
  { host, port }: DevSettings,
): Promise<{ readonly service: Service; readonly taken: number | undefined }> {
  let taken: number | undefined
  let asked = port
  for (let start = 1; ; start++) {
    try {
      return { service: await startService(config, context, { host, port: asked, checkHost: true }), taken }
    } catch (error) {
      const used = error instanceof ServiceListenError ? error.portInUse : undefined
      const free = used === undefined || start === maxStarts ? undefined : await nextFreePort(used)
      if (free === undefined) throw error
      taken ??= used!.port
      asked = free
    }
  }
}

/** A key that is made for one run: 192 random bits behind a word that says whose it is. */
export function createKey(word: string, random: (size: number) => Buffer = randomBytes): string {
  return `${word}-${random(24).toString('base64url')}`
}
