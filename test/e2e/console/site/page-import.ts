import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { builtPage, pageModule } from '../../../../packages/console/built-page.ts'

/**
 * Builds the page into a folder, and returns a module for `--import`: in a process that runs on the sources, which have no
 * page, the console then serves this one.
 */
export async function pageImport(folder: string): Promise<string> {
  const page = join(folder, 'page.mjs')
  const hooks = join(folder, 'page-hooks.mjs')
  const start = join(folder, 'page-import.mjs')
  writeFileSync(page, await builtPage())
  writeFileSync(
    hooks,
    `import { readFile } from 'node:fs/promises'
export async function load(url, context, next) {
  if (!${pageModule}.test(url)) return next(url, context)
  return { format: 'module', shortCircuit: true, source: await readFile(${JSON.stringify(page)}, 'utf8') }
}
`,
  )
  writeFileSync(
    start,
    `import { register } from 'node:module'\nregister(${JSON.stringify(pathToFileURL(hooks).href)})\n`,
  )
  return pathToFileURL(start).href
}
