import { isDeepStrictEqual } from 'node:util'
import type { TypedConfig } from '../config/config.ts'

/** What a service is made with, and cannot change while it runs. */
const fixed = [
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

/** Where a configuration differs from the one before in what cannot change: `server.port`. */
export function fixedChanges(before: TypedConfig, after: TypedConfig): readonly string[] {
  return fixed
    .filter(path => !isDeepStrictEqual(partOf(before, path), partOf(after, path)))
    .map(path => path.join('.'))
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
  const names = fixed.filter(([first]) => first === section).map(path => path.at(1)!)
  return Object.fromEntries(names.map(name => [name, partOf(before, [section, name])]))
}

function partOf(config: TypedConfig, path: readonly string[]): unknown {
  return path.reduce<unknown>((part, step) => (part as Record<string, unknown> | undefined)?.[step], config)
}
