import { relative } from 'node:path'
import { checkConfig } from './check-config.ts'
import { compileConfig } from './compile-config.ts'
import type { TypedConfig } from './config.ts'
import { findConfig } from './load/find-config.ts'
import { readSource } from './load/read-source.ts'
import type { Environment } from './load/with-environment.ts'
import { VendorPool } from './providers/vendor-pool.ts'

/** What a configuration is read in. */
export interface ConfigContext {
  /** Variables that it may name. */
  readonly env: Environment
  /** Where it is looked for, and where relative paths begin. */
  readonly cwd: string
}

/** A configuration without a fault, its variables filled in. */
export interface LoadedConfig {
  readonly config: TypedConfig
  /** The whole path of its file. */
  readonly file: string
  /** All files that it was made of: of TypeScript and JavaScript those that it imports, too. */
  readonly files: readonly string[]
}

/**
 * Reads a configuration: `path`, or the one `sluice.config.{ts,mts,js,mjs,json,yaml,yml}` of the folder. TypeScript and
 * JavaScript are run again each time.
 *
 * Rejects with `InvalidConfigError` that tells everything that is wrong with it, in one message and without a secret; and with
 * `CommandError` for a file that is not there, cannot be read, or is no JSON, YAML or module.
 */
export async function loadConfig(path: string | undefined, context: ConfigContext): Promise<LoadedConfig> {
  const file = findConfig(path, context.cwd)
  const name = relative(context.cwd, file) || file
  const source = await readSource(file, name)
  const { config, issues } = checkConfig(source, name, context.env)
  compileConfig(config, issues, new VendorPool())
  return { config, file, files: source.files ?? [file] }
}
