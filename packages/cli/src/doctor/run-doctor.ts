import { relative } from 'node:path'
import { hasNodeSqlite } from '@sluice/sqlite'
import { type CommandContext, CommandError } from '../command.ts'
import { recheckConfig } from '../config/check-config.ts'
import type { TypedConfig } from '../config/config.ts'
import { InvalidConfigError } from '../config/issues/invalid-config-error.ts'
import { configsIn } from '../config/load/find-config.ts'
import { type LoadedConfig, loadConfig } from '../config/load-config.ts'
import { VendorPool } from '../config/providers/vendor-pool.ts'
import { ConfigLocation } from '../config/shape/shape.ts'
import { type DevSettings, devSettings } from '../dev/dev-settings.ts'
import { devSource } from '../dev/dev-source.ts'
import { checkBudgets } from './check-budgets.ts'
import { checkClock } from './check-clock.ts'
import { checkCloudCredentials } from './check-cloud-credentials.ts'
import { checkDatabase } from './check-database.ts'
import { checkFiles } from './check-files.ts'
import { checkKeys, secretsOf } from './check-keys.ts'
import { checkNode } from './check-node.ts'
import { checkPort } from './check-port.ts'
import { checkRedis } from './check-redis.ts'
import { type CheckedProvider, checkUpstream } from './check-upstreams.ts'
import { error, type Finding, ok } from './finding.ts'

/** What the checks are made with. */
export interface DoctorOptions {
  /** The configuration. Default: the one of the folder, else the vendors whose keys are in the environment. */
  readonly config?: string | undefined
  /** For each server, in milliseconds. Default 5,000. */
  readonly deadlineMs?: number
  /** Default: the version of this process. */
  readonly nodeVersion?: string
  readonly fetch?: typeof fetch
}

/** Makes all checks. Connects to what the configuration names, and to nothing else. */
export async function runDoctor(
  context: Pick<CommandContext, 'env' | 'cwd' | 'signal' | 'platform' | 'now'>,
  {
    config: path,
    deadlineMs = 5_000,
    nodeVersion = process.versions.node,
    fetch: call = fetch,
  }: DoctorOptions = {},
): Promise<readonly Finding[]> {
  const { cwd, env, now } = context
  const node = checkNode(nodeVersion, hasNodeSqlite())
  const { config, loaded, findings, address } = await configOf(path, context)
  if (config === undefined) return [node, ...findings]
  const { host = '127.0.0.1', port = 8787 } = address ?? config.server ?? {}
  const { state = {} } = config
  const { database } = state
  const [listening, stored, redis, upstreams] = await Promise.all([
    checkPort(host, port),
    database === undefined
      ? ok('database', 'none is configured')
      : checkDatabase({ ...state, database }, cwd, deadlineMs),
    state.redis === undefined
      ? { findings: [ok('Redis', 'none is configured')], sample: undefined }
      : checkRedis(state.redis, { cwd, now, deadlineMs }),
    Promise.all(providersOf(config).map(each => checkUpstream(each, { fetch: call, now, deadlineMs }))),
  ])
  const samples = [...upstreams, redis].flatMap(({ sample }) => (sample === undefined ? [] : [sample]))
  const clock = checkClock(samples) ?? ok('clock', 'is not compared: no upstream has said its time')
  return [
    node,
    ...findings,
    ...checkFiles({
      files: loaded?.files ?? [],
      secrets: secretsOf(config),
      cwd,
      platform: context.platform,
    }),
    listening,
    ...checkKeys(config, env),
    ...(loaded === undefined ? [] : await checkBudgets(config, context)),
    ...checkCloudCredentials(config, env, now()),
    ...upstreams.flatMap(upstream => upstream.findings),
    clock,
    stored,
    ...redis.findings,
  ]
}

interface FoundConfig {
  /** `undefined` for one with errors. */
  readonly config: TypedConfig | undefined
  readonly loaded?: LoadedConfig
  /** Where `sluice dev` listens without a configuration. */
  readonly address?: Pick<DevSettings, 'host' | 'port'>
  readonly findings: readonly Finding[]
}

async function configOf(
  path: string | undefined,
  context: Pick<CommandContext, 'env' | 'cwd' | 'signal'>,
): Promise<FoundConfig> {
  const check = 'configuration'
  try {
    if (path === undefined && configsIn(context.cwd).length === 0) {
      const settings = { config: undefined, discover: false, anyModel: false }
      const { config } = await devSource(settings, context)
      return {
        config,
        address: devSettings({}, context.env),
        findings: [ok(check, 'none in this folder: the vendors of the environment are checked')],
      }
    }
    const loaded = await loadConfig(path, context)
    const name = relative(context.cwd, loaded.file) || loaded.file
    return { config: loaded.config, loaded, findings: [ok(check, `${name} is valid`)] }
  } catch (failure) {
    if (failure instanceof InvalidConfigError) {
      const findings = failure.issues.map(({ path: at, problem, fix }) =>
        error(`${check}, ${at || 'all of it'}`, `${problem}.`, fix ?? 'Correct it, and run sluice check.'),
      )
      return { config: undefined, findings }
    }
    if (!(failure instanceof CommandError)) throw failure
    return {
      config: undefined,
      findings: [error(check, failure.message, 'Correct it, and run sluice check.')],
    }
  }
}

/** The providers of a valid configuration that call somebody. */
function providersOf(config: TypedConfig): readonly CheckedProvider[] {
  const { issues } = recheckConfig(config)
  const vendors = new VendorPool().take(config, new ConfigLocation(['providers'], issues))
  return vendors.names.flatMap(name => {
    const make = vendors.make(name)
    return make === undefined ? [] : [{ name, make }]
  })
}
