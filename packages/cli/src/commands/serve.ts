import { once } from 'node:events'
import { processTopics, WorkerMember, workerCount } from '@sluice/node/adapter'
import { type Command, type CommandContext, CommandError, type Values } from '../command.ts'
import { textOf } from '../command-line/arguments.ts'
import { printable } from '../command-line/printable.ts'
import { loadConfig } from '../config/load-config.ts'
import { networkUrls } from '../dev/network-urls.ts'
import { consoleOpener } from '../dev/open-console.ts'
import { reachableUrl } from '../dev/reachable-url.ts'
import { restartText, serveWorkers } from '../service/fixed-settings.ts'
import { ReloadSignal } from '../service/reload-signal.ts'
import { reportOf, runWorker, type ServiceReport } from '../service/run-worker.ts'
import type { Service } from '../service/service.ts'
import { nextFreePort, ServiceListenError } from '../service/service-listen-error.ts'
import { startPrimary } from '../service/start-primary.ts'
import { startService } from '../service/start-service.ts'
import { untilAborted } from '../service/until-aborted.ts'
import { watchConfig } from '../service/watch-config.ts'
import { sqliteLibrary } from '../state/state-packages.ts'
import { storageText } from '../state/storage-text.ts'

/** `sluice serve`. */
export const serve: Command = {
  name: 'serve',
  summary: 'serves a configuration, and reloads it when it changes',
  help: `
Usage: sluice serve [options]

  --config FILE     configuration to serve. Default: sluice.config.{ts,mts,js,mjs,json,yaml,yml} in this folder
  --port N          port to listen on, instead of server.port; 0 picks a free one
  --host ADDRESS    address to listen on, instead of server.host
  --workers N       number of processes that accept requests, or auto: one per core; instead of server.workers
  --open            opens the console in the browser, if the configuration has one
  --no-watch        does not reload the configuration when its file changes; SIGHUP still does

If a changed configuration has errors, they are printed, and the service keeps the last valid one. SIGTERM and Ctrl+C
let requests in flight finish, for at most server.drainMs. With workers, SIGHUP and a changed configuration replace each by a
new process, and requests of the old ones may take as long as they need.

Example: sluice serve --config gateway.yaml --host 0.0.0.0`,
  options: {
    config: { type: 'string' },
    port: { type: 'string' },
    host: { type: 'string' },
    workers: { type: 'string' },
    open: { type: 'boolean' },
    'no-watch': { type: 'boolean' },
  },
  async run(values, positionals, context) {
    if (positionals.length > 0) {
      throw new CommandError(
        `serve: got '${printable(positionals[0]!)}', expected options only. Name the file by --config.`,
        2,
      )
    }
    // Before the file is read: what a signal during the start asks for is done when the service is ready.
    const reloadSignal = new ReloadSignal()
    try {
      return await serveConfig(values, context, reloadSignal)
    } finally {
      reloadSignal.close()
    }
  },
}

async function serveConfig(
  values: Values,
  context: CommandContext,
  reloadSignal: ReloadSignal,
): Promise<number> {
  const { signal } = context
  const address = { host: textOf(values, 'host'), port: portOf(values) }
  const workersOption = workersOf(values)
  const loaded = await untilAborted(loadConfig(textOf(values, 'config'), context), signal)
  if (loaded === undefined) {
    const member = WorkerMember.connect(processTopics)
    if (member !== undefined) await leaveBeforeStart(member)
    return 0
  }
  const { database } = loaded.config.state ?? {}
  const isInFile = database !== undefined && !/^postgres/i.test(database)
  const library = isInFile ? await sqliteLibrary(context.cwd) : undefined
  const storage = storageText({ database, library })
  const workers = serveWorkers(loaded.config, workersOption)
  if (workers > 1) {
    const member = WorkerMember.connect(processTopics)
    if (member !== undefined) {
      await runWorker(member, loaded.config, context, address)
      return 0
    }
    if (database === ':memory:') {
      throw new CommandError(
        `state.database is :memory:, which each of ${workers} workers would have for itself. Use a file, such as file:./sluice.db, or one worker.`,
      )
    }
  }
  const starting =
    workers > 1
      ? startPrimary(loaded, context, { ...address, workers: workersOption })
      : startService(loaded.config, context, address)
          .then(service => ({
            service: reportingWorkers(service, context, workersOption),
            report: reportOf(service),
          }))
          .catch(withFreePort)
  const { service, report } = await starting.catch((error: unknown) => {
    // What was stopped need not start.
    if (signal.aborted) return { service: undefined, report: undefined }
    throw error
  })
  if (service === undefined) return 0
  if (signal.aborted) {
    await service.close({ drainMs: 0, delayMs: 0 })
    return 0
  }
  const watched = watchConfig(service, loaded, context, { watch: values['no-watch'] !== true })
  const opener = consoleOpener(report.consoleURL && reachableUrl(report.consoleURL), context)
  try {
    const by = workers > 1 ? ` with ${workers} workers` : ''
    context.log(
      `Serving ${report.models} ${report.models === 1 ? 'model' : 'models'} at ${report.baseURL}${by}`,
    )
    for (const url of networkUrls(report.baseURL, context.networkAddresses())) context.log(`Network: ${url}`)
    if (report.consoleURL !== undefined) context.log(`Console at ${report.consoleURL}`)
    context.log(`Storage: ${storage}.`)
    context.log(`Responses of the Responses API are ${report.responseStorage}.${offHint(report)}`)
    if (report.bodyStorage !== undefined) {
      context.log(
        `Bodies of requests and responses are ${report.bodyStorage}. To store none, set log.bodies: false.`,
      )
    }
    reloadSignal.connect(watched.reload)
    if (values.open === true) void opener.open()
    if (!signal.aborted) await once(signal, 'abort')
    return 0
  } finally {
    opener.close()
    await watched.close()
    await service.close()
  }
}

/** A service in one process. Its reloads log a number of workers that would need a restart. */
function reportingWorkers(
  service: Service,
  context: CommandContext,
  option: number | undefined,
): Pick<Service, 'reload' | 'close'> {
  return {
    close: service.close,
    reload: async next => {
      await service.reload(next)
      if (serveWorkers(next, option) !== 1) context.log(restartText('server.workers'))
    },
  }
}

/** Ends a worker that has opened nothing yet. */
function leaveBeforeStart(member: WorkerMember): Promise<void> {
  member.isListening = () => false
  return member.leave()
}

/** Says how to turn off what stores texts. */
function offHint({ responseStorage }: ServiceReport): string {
  return responseStorage === 'not stored' ? '' : ' To store none, set responses: false.'
}

/** Adds a free port to the error where another program uses the requested one. */
async function withFreePort(error: unknown): Promise<never> {
  const used = error instanceof ServiceListenError ? error.portInUse : undefined
  const free = used && (await nextFreePort(used))
  if (free === undefined) throw error
  throw new CommandError(`${(error as Error).message}\nPort ${free} is free: sluice serve --port ${free}`)
}

function workersOf(values: Values): number | undefined {
  const text = textOf(values, 'workers')
  if (text === undefined) return undefined
  if (text === 'auto') return workerCount('auto', 'sluice serve')
  const count = /^\d{1,4}$/.test(text) ? Number(text) : 0
  if (count >= 1 && count <= 1_024) return count
  throw new CommandError(
    `serve: --workers is '${printable(text)}', expected a whole number from 1 to 1024, or auto.`,
    2,
  )
}

function portOf(values: Values): number | undefined {
  const text = textOf(values, 'port')
  if (text === undefined) return undefined
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text)
  throw new CommandError(`serve: --port is '${printable(text)}', expected a whole number from 0 to 65535.`, 2)
}
