import { isDeepStrictEqual } from 'node:util'
import { workerCount } from '@sluice/node/adapter'
import type { TypedConfig } from '../config/config.ts'
import type { ServiceOptions } from './service.ts'

/** What a service is made with, and cannot change while it runs. */
export const fixedSettings = [
  ['server', 'host'],
  ['server', 'port'],
  ['server', 'trustProxy'],
  ['state'],
  ['responses'],
  ['log'],
  ['alerts'],
  ['telemetry', 'metrics'],
  ['telemetry', 'openTelemetry'],
  ['telemetry', 'tagLabels'],
] as const

/** What the command line says instead of a configuration: a restart would not change it either. */
type Overrides = Pick<ServiceOptions, 'host' | 'port'>

/**
 * Returns the settings, such as `server.port`, that a restart with `next` would change.
 *
 * @param running - the configuration that the service was started with
 */
export function fixedChanges(
  running: TypedConfig,
  next: TypedConfig,
  overrides: Overrides = {},
): readonly string[] {
  const [before, after] = [running, next].map(config => withListenSettings(config, overrides))
  return fixedSettings
    .filter(path => !isDeepStrictEqual(partOf(before!, path), partOf(after!, path)))
    .map(path => path.join('.'))
}

/** Returns the number of processes that `sluice serve` has with a configuration. */
export function serveWorkers({ server }: TypedConfig, override: number | undefined): number {
  return override ?? workerCount(server?.workers ?? 1, 'sluice serve')
}

/** Returns what is logged of a setting that needs a restart. */
export function restartText(path: string): string {
  return `${path} cannot change while the service runs. Restart it to apply the change.`
}

/** A configuration with the values by which a service listens, its defaults too. */
function withListenSettings(config: TypedConfig, overrides: Overrides): TypedConfig {
  const { host = '127.0.0.1', port = 8787, trustProxy = false } = config.server ?? {}
  const server = { host: overrides.host ?? host, port: overrides.port ?? port, trustProxy }
  return { ...config, server: { ...config.server, ...server } }
}

/** A configuration, but with those parts as they were before. */
export function withFixedSettings(before: TypedConfig, after: TypedConfig): TypedConfig {
  const { state: _, responses: __, log: ___, alerts: ____, ...others } = after
  return {
    ...others,
    ...(before.state !== undefined && { state: before.state }),
    ...(before.responses !== undefined && { responses: before.responses }),
    ...(before.log !== undefined && { log: before.log }),
    ...(before.alerts !== undefined && { alerts: before.alerts }),
    server: { ...after.server, ...keepSettings(before, 'server') },
    telemetry: { ...after.telemetry, ...keepSettings(before, 'telemetry') },
  }
}

function keepSettings(before: TypedConfig, section: 'server' | 'telemetry'): object {
  const names = fixedSettings.filter(([first]) => first === section).map(path => path.at(1)!)
  return Object.fromEntries(names.map(name => [name, partOf(before, [section, name])]))
}

function partOf(config: TypedConfig, path: readonly string[]): unknown {
  return path.reduce<unknown>((part, step) => (part as Record<string, unknown> | undefined)?.[step], config)
}
