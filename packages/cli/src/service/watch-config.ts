import { CommandError } from '../command.ts'
import type { TypedConfig } from '../config/config.ts'
import { type ConfigContext, type LoadedConfig, loadConfig } from '../config/load-config.ts'
import type { Service } from './service.ts'
import { type FileWatch, watchFiles } from './watch-files.ts'

/** What keeps a service at what its configuration says. */
export interface ConfigWatcher {
  /** Reads the configuration now, and applies it if it is valid. Resolves to whether it was. Never rejects. */
  reload(): Promise<boolean>
  /** Watches no more, and waits for a reload that runs. */
  close(): Promise<void>
}

/** How a configuration is followed. */
export interface ConfigWatcherOptions {
  /** Whether its files are watched. Default: yes. Without it, `reload` alone reads it again. */
  readonly watch?: boolean
  /** Changes a configuration before the service uses it. Default: no change. */
  readonly overlay?: (config: TypedConfig) => TypedConfig
}

/**
 * Reloads a service when the file of its configuration, or a module that it imports, changes. An invalid configuration
 * changes nothing: the service keeps the last valid one, and `context.log` receives all issues, once for the same ones.
 */
export function watchConfig(
  service: Pick<Service, 'reload'>,
  { file, files }: LoadedConfig,
  context: ConfigContext & { readonly log: (text: string) => void },
  { watch = true, overlay = config => config }: ConfigWatcherOptions = {},
): ConfigWatcher {
  let lastMessage: string | undefined
  let running: Promise<boolean> | undefined
  let again = false
  let closed = false
  let watching: FileWatch | undefined

  const attempt = async (): Promise<boolean> => {
    try {
      const loaded = await loadConfig(file, context)
      if (closed) return false
      watching?.follow(loaded.files)
      await service.reload(overlay(loaded.config))
      lastMessage = undefined
      context.log('Configuration reloaded.')
      return true
    } catch (error) {
      const message =
        error instanceof CommandError ? error.message : `Cannot reload the configuration: ${textOf(error)}`
      if (message !== lastMessage && !closed)
        context.log(`${message}\nThe service keeps its current configuration.`)
      lastMessage = message
      return false
    }
  }
  /** What changes while one is read is read after it, once. */
  const reload = (): Promise<boolean> => {
    if (running !== undefined) {
      again = true
      return running
    }
    running = (async () => {
      let taken: boolean
      do {
        again = false
        taken = await attempt()
      } while (again && !closed)
      running = undefined
      return taken
    })()
    return running
  }
  if (watch) {
    watching = watchFiles(
      files,
      () => void reload(),
      () => context.log('Cannot watch the configuration any more. Send SIGHUP to reload it.'),
    )
  }
  return {
    reload,
    close: async () => {
      closed = true
      watching?.close()
      await running
    },
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
