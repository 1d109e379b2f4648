import { once } from 'node:events'
import { type Command, CommandFault, type Values } from '../command.ts'
import { loadConfig } from '../config/load-config.ts'
import { ListenFault, nextFreePort } from '../service/service-listen-error.ts'
import { startService } from '../service/start-service.ts'
import { watchedConfig } from '../service/watch-config.ts'

/** `sluice serve`. */
export const serve: Command = {
  name: 'serve',
  summary: 'serves a configuration, and follows its changes',
  help: `
Usage: sluice serve [options]

  --config FILE     the configuration. Default: sluice.config.{ts,mts,js,mjs,json,yaml,yml} of this folder
  --port N          where it listens, whatever the configuration says; 0 takes a free port
  --host ADDRESS    on which address, whatever the configuration says
  --no-watch        does not read the configuration again when its file changes; SIGHUP still does

A configuration with faults is told of and not taken: the service goes on with the last good one. SIGTERM and Ctrl+C let
running answers end first, for server.drainMs at most.

Example: sluice serve --config gateway.yaml --host 0.0.0.0`,
  options: {
    config: { type: 'string' },
    port: { type: 'string' },
    host: { type: 'string' },
    'no-watch': { type: 'boolean' },
  },
  async run(values, positionals, world) {
    if (positionals.length > 0) {
      throw new CommandFault(
        `serve: got '${positionals[0]}', expected options only. Name the file by --config.`,
        2,
      )
    }
    const loaded = await loadConfig(textOf(values, 'config'), world)
    const service = await startService(loaded.config, world, {
      host: textOf(values, 'host'),
      port: portOf(values),
    }).catch(withFreePort)
    const watched = watchedConfig(service, loaded, world, { watch: values['no-watch'] !== true })
    const hup = () => void watched.reload()
    process.on('SIGHUP', hup)
    try {
      world.tell(`Serves ${service.gateway.models.length} models at ${service.baseURL}`)
      if (service.consoleURL !== undefined) world.tell(`Console at ${service.consoleURL}`)
      if (!world.signal.aborted) await once(world.signal, 'abort')
      return 0
    } finally {
      process.off('SIGHUP', hup)
      await watched.close()
      await service.close()
    }
  },
}

/** Names a port that can be used where another program has the one that was asked for. */
async function withFreePort(error: unknown): Promise<never> {
  const used = error instanceof ListenFault ? error.portInUse : undefined
  const free = used && (await nextFreePort(used))
  if (free === undefined) throw error
  throw new CommandFault(`${(error as Error).message}\nPort ${free} is free: sluice serve --port ${free}`)
}

function textOf(values: Values, name: string): string | undefined {
  const value = values[name]
  return typeof value === 'string' ? value : undefined
}

function portOf(values: Values): number | undefined {
  const text = textOf(values, 'port')
  if (text === undefined) return undefined
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text)
  throw new CommandFault(`serve: --port is '${text}', expected a whole number from 0 to 65535.`, 2)
}
