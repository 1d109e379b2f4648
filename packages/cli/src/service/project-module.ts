import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/**
 * Imports a package that the project, or else this program, has installed. Resolves to `undefined` where neither has it.
 * Rejects with the package's own error if it cannot be loaded.
 */
export async function projectModule(
  name: string,
  folder: string,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const own = resolvedFrom(name, folder)
  try {
    const loaded = (await import(own ?? name)) as Record<string, unknown>
    const { default: whole } = loaded
    // What CommonJS exports as a whole has all names, also those that are found at run time only.
    return typeof whole === 'object' && whole !== null ? { ...loaded, ...whole } : loaded
  } catch (error) {
    if (own === undefined && isMissing(error)) return undefined
    throw error
  }
}

/** Where a package is for what stands in a folder; `undefined` where it is not. */
export function resolvedFrom(name: string, folder: string): string | undefined {
  try {
    return pathToFileURL(createRequire(join(folder, 'package.json')).resolve(name)).href
  } catch {
    return undefined
  }
}

function isMissing(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND'
}
