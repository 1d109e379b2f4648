import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { BundledPricesOptions } from '@sluice/prices'
import type { BundledPricesConfig } from '../config.ts'

/** Returns the options of `bundledPrices` for a configuration. Paths of files are relative to `folder`. */
export function bundledOptions(
  { refresh, ...others }: BundledPricesConfig,
  folder: string,
): BundledPricesOptions {
  if (refresh === undefined) return others
  const { from, ...more } = refresh
  // A drive such as `C:` is no scheme.
  const isUrl = /^[a-z][a-z\d+.-]+:/i.test(from)
  const read = (signal: AbortSignal) => readFile(resolve(folder, from), { encoding: 'utf8', signal })
  return { ...others, refresh: { ...more, from: isUrl ? from : read } }
}
