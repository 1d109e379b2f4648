import * as core from '@sluice/core'
import * as adapter from '@sluice/core/adapter'
import * as dialect from '@sluice/core/dialect'
import * as keys from '@sluice/core/keys'
import * as ledger from '@sluice/core/ledger'
import * as limits from '@sluice/core/limits'
import * as openapi from '@sluice/core/openapi'
import * as provider from '@sluice/core/provider'
import * as routing from '@sluice/core/routing'
import * as store from '@sluice/core/store'
import * as providers from '@sluice/providers'
import { createJiti } from 'jiti'
import { CommandError } from '../../command.ts'
import { defineConfig } from '../define-config.ts'
import { noPosition, type Source } from './source.ts'

/** What a configuration file can import without an installation. Other copies would have other classes. */
const virtualModules = {
  sluice: { defineConfig },
  '@sluice/core': core,
  '@sluice/core/adapter': adapter,
  '@sluice/core/keys': keys,
  '@sluice/core/ledger': ledger,
  '@sluice/core/limits': limits,
  '@sluice/core/openapi': openapi,
  '@sluice/core/dialect': dialect,
  '@sluice/core/provider': provider,
  '@sluice/core/routing': routing,
  '@sluice/core/store': store,
  '@sluice/providers': providers,
}

/**
 * Reads TypeScript or JavaScript: what it exports by default, or a function that gives it. It is run again each time,
 * with the modules that it imports from its own folders. `sluice`, the entries of `@sluice/core`, and `@sluice/providers`
 * are those of this program, whether or not the project has them.
 *
 * Throws `CommandError` where it cannot be run, or exports nothing.
 */
export async function readModule(file: string, name: string): Promise<Source> {
  const files = new Set<string>([file])
  const plain = createJiti(file, { moduleCache: false, fsCache: false })
  const jiti = createJiti(file, {
    moduleCache: false,
    fsCache: false,
    virtualModules,
    transform: options => {
      if (options.filename !== undefined) files.add(options.filename)
      return { code: plain.transform(options) }
    },
  })
  let exported: unknown
  try {
    exported = await jiti.import(file, { default: true })
    if (typeof exported === 'function') exported = await exported()
  } catch (error) {
    throw new CommandError(`Cannot load ${name}: ${reasonOf(error)}`)
  }
  if (typeof exported !== 'object' || exported === null || isEmptyModule(exported)) {
    throw new CommandError(
      `${name} exports no configuration. End it with: export default defineConfig({ ... })`,
    )
  }
  return { value: exported, positionOf: noPosition, files: [...files] }
}

/** Without an export by default, all exports are given. */
function isEmptyModule(exported: object): boolean {
  return !('models' in exported) && ('__esModule' in exported || Object.keys(exported).length === 0)
}

/** It is the user's own code that failed: what it says is theirs to read. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'it threw a value that is not an Error'
  // Further lines quote the file, in which secrets may stand.
  const message = error.message.split('\n')[0]!.replaceAll(/\s+/g, ' ').trim()
  const [location] = /\S+:\d+:\d+/.exec(error.stack ?? '') ?? []
  return location === undefined || message.includes(location) ? message : `${message} (${location})`
}
