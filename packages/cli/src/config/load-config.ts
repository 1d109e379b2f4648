import { relative } from 'node:path'
import { checkConfig } from './check-config.ts'
import { compileConfig } from './compile-config.ts'
import type { TypedConfig } from './config.ts'
import { findConfig } from './load/find-config.ts'
import { readSource } from './load/read-source.ts'
import { VendorPool } from './providers/vendor-pool.ts'

/** Where a configuration is read, and with which environment variables. */
export interface ConfigContext {
  /** The environment variables that it may use. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** The folder that is searched, and the base of relative paths. */
  readonly cwd: string
}

/** A valid configuration, with the values of its environment variables. */
export interface LoadedConfig {
  readonly config: TypedConfig
  /** The absolute path of its file. */
  readonly file: string
  /** All files that it consists of, with those that a TypeScript or JavaScript file imports. */
  readonly files: readonly string[]
}

/**
 * Loads a configuration: the file `path`, or the only `sluice.config.{ts,mts,js,mjs,json,yaml,yml}` of the folder. TypeScript
 * and JavaScript files are run again each time.
 *
 * Rejects with `InvalidConfigError`, which lists all issues without secrets, for an invalid configuration. Rejects with
 * `CommandError` for a file that is missing, cannot be read, or is not JSON, YAML or a module.
 */
export async function loadConfig(path: string | undefined, context: ConfigContext): Promise<LoadedConfig> {
  const file = findConfig(path, context.cwd)
  const name = relative(context.cwd, file) || file
  const source = await readSource(file, name)
  const { config, issues } = checkConfig(source, name, context.env)
  compileConfig(config, issues, new VendorPool())
  return { config, file, files: source.files ?? [file] }
}
