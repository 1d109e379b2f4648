import { createConsole } from '@sluice/console'
import { WorkerStartError } from '@sluice/node'
import { processTopics, WorkerPool } from '@sluice/node/adapter'
import { prometheus } from '@sluice/telemetry/prometheus'
import { type CommandContext, CommandError } from '../command.ts'
import type { TypedConfig } from '../config/config.ts'
import type { LoadedConfig } from '../config/load-config.ts'
import { fixedChanges, restartText, serveWorkers } from './fixed-settings.ts'
import type { ServiceReport } from './run-worker.ts'
import type { Service, ServiceOptions } from './service.ts'

interface PrimaryOptions extends Pick<ServiceOptions, 'host' | 'port'> {
  readonly workers?: number | undefined
}

/** What a primary cannot change while it runs: all workers share it. */
const fixed = ['server.host', 'server.port']

/**
 * Starts the workers of a configuration: each runs `sluice serve` with this file. `reload` of the service replaces them, one after
 * the other. Rejects with `CommandError` if they cannot start, and with the reason of `context.signal` if that aborts before; then
 * no worker is left.
 */
export async function startPrimary(
  { config, file }: LoadedConfig,
  context: CommandContext,
  options: PrimaryOptions,
): Promise<{ readonly service: Pick<Service, 'reload' | 'close'>; readonly report: ServiceReport }> {
  const { host = config.server?.host ?? '127.0.0.1', port = config.server?.port ?? 8787 } = options
  const workers = serveWorkers(config, options.workers)
  // What workers that have ended had counted is summed here.
  if (config.telemetry?.metrics !== false) prometheus({ group: processTopics })
  if (config.console) createConsole({ adminKey: config.console.adminKey, group: processTopics })
  const args = [
    'serve',
    '--config',
    file,
    '--host',
    host,
    '--port',
    String(port),
    '--workers',
    String(workers),
  ]
  const { pool, report } = await WorkerPool.start({
    count: workers,
    topics: processTopics,
    log: context.log,
    args: [...args, '--no-watch'],
    signal: context.signal,
  }).catch((error: unknown) => {
    throw error instanceof WorkerStartError ? new CommandError(error.message) : error
  })
  let current = config
  const reload = async (next: TypedConfig): Promise<void> => {
    const changes = fixedChanges(config, next, options).filter(path => fixed.includes(path))
    if (serveWorkers(next, options.workers) !== workers) changes.push('server.workers')
    try {
      await pool.reload()
    } catch (error) {
      throw error instanceof WorkerStartError ? new CommandError(error.message) : error
    }
    current = next
    for (const path of changes) context.log(restartText(path))
  }
  return {
    report: report as ServiceReport,
    service: {
      reload,
      close: request => {
        const { drainMs = 30_000, shutdownDelayMs = 0 } = current.server ?? {}
        return pool.close(request ?? { drainMs, delayMs: shutdownDelayMs })
      },
    },
  }
}
