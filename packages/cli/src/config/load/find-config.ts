import { existsSync } from 'node:fs'
import { isAbsolute, join, resolve } from 'node:path'
import { CommandFault } from '../../command.ts'

const endings = ['ts', 'mts', 'js', 'mjs', 'json', 'yaml', 'yml']

/**
 * The file of a configuration: the one that is named, or `sluice.config` in the folder. Throws `CommandFault` where
 * there is none, or more than one.
 */
export function findConfig(path: string | undefined, folder: string): string {
  if (path !== undefined) {
    const file = isAbsolute(path) ? path : resolve(folder, path)
    if (existsSync(file)) return file
    throw new CommandFault(
      `There is no file ${path}. Name the configuration by --config, or make one: sluice init`,
    )
  }
  const found = configsIn(folder)
  const [first, second] = found
  if (first === undefined) {
    throw new CommandFault(
      `There is no configuration here: expected sluice.config.ts, .js, .json or .yaml. Make one with: sluice init, or name one by --config.`,
    )
  }
  if (second !== undefined) {
    throw new CommandFault(`There are ${found.join(' and ')}. Name the one that is meant by --config.`)
  }
  return join(folder, first)
}

/** The configurations of a folder that have one of the names. */
export function configsIn(folder: string): readonly string[] {
  return endings.map(ending => `sluice.config.${ending}`).filter(name => existsSync(join(folder, name)))
}
