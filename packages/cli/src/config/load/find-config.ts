import { existsSync } from 'node:fs'
import { isAbsolute, join, resolve } from 'node:path'
import { CommandError } from '../../command.ts'

const endings = ['ts', 'mts', 'js', 'mjs', 'json', 'yaml', 'yml']

/**
 * The file of a configuration: the one that is named, or `sluice.config` in the folder. Throws `CommandError` where
 * there is none, or more than one.
 */
export function findConfig(path: string | undefined, folder: string): string {
  if (path !== undefined) {
    const file = isAbsolute(path) ? path : resolve(folder, path)
    if (existsSync(file)) return file
    throw new CommandError(
      `File not found: ${path}. Pass the configuration with --config, or create one: sluice init`,
    )
  }
  const found = configsIn(folder)
  const [first, second] = found
  if (first === undefined) {
    throw new CommandError(
      `No configuration found in this folder: expected sluice.config.ts, .js, .json or .yaml. Create one with sluice init, or pass --config.`,
    )
  }
  if (second !== undefined) {
    throw new CommandError(`Found ${found.join(' and ')}. Choose one with --config.`)
  }
  return join(folder, first)
}

/** The configurations of a folder that have one of the names. */
export function configsIn(folder: string): readonly string[] {
  return endings.map(ending => `sluice.config.${ending}`).filter(name => existsSync(join(folder, name)))
}
