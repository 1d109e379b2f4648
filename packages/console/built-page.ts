import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'vite'
import type { Page } from './src/page.ts'

const folder = dirname(fileURLToPath(import.meta.url))

/** The module in whose place the built page stands. */
export const pageModule = /[\\/]console[\\/]src[\\/]page[\\/]placeholder\.ts$/

const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
}

let made: Promise<Page> | undefined

/** The source of that module with the files of the page in it. They are made once in a process. */
export async function builtPage(): Promise<string> {
  made ??= makePage()
  return `export const page = ${JSON.stringify(await made)}\n`
}

/** For Vite and Vitest: sources that run under them have the page. */
export function pageForTests(): Plugin {
  return {
    name: 'page-of-the-console',
    enforce: 'pre',
    load: id => (pageModule.test(id) ? builtPage() : undefined),
  }
}

async function makePage(): Promise<Page> {
  // What runs it may have set another one; Preact would be built for debugging.
  const mode = process.env.NODE_ENV
  process.env.NODE_ENV = 'production'
  try {
    const result = await build({ configFile: join(folder, 'vite.config.ts'), logLevel: 'error' })
    if (Array.isArray(result) || !('output' in result)) throw new Error('vite build gave no single output.')
    return Object.fromEntries(result.output.map(file => [file.fileName, fileOf(file)]))
  } finally {
    if (mode === undefined) delete process.env.NODE_ENV
    else process.env.NODE_ENV = mode
  }
}

function fileOf(file: { fileName: string; code?: string; source?: string | Uint8Array }): Page[string] {
  const type = types[file.fileName.slice(file.fileName.lastIndexOf('.') + 1)]
  if (type === undefined) throw new Error(`${file.fileName}: no content type is known for it.`)
  const content = file.code ?? file.source ?? ''
  return { type, body: typeof content === 'string' ? content : new TextDecoder().decode(content) }
}
