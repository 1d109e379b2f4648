import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import vm from 'node:vm'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { beforeAll, describe, expect, it } from 'vitest'

// Core and providers as an edge runtime gets them: one script, nothing left outside, nothing of Node inside.

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..')
const app = `
  export { createGateway, apiKeys, models } from '@sluice/core'
  export { local, openai, openaiCompatible } from '@sluice/providers'
`

const manifest: { readonly exports: object } = JSON.parse(
  readFileSync(join(root, 'packages/core/package.json'), 'utf8'),
)
const everyEntry = Object.keys(manifest.exports)
  .filter(entry => !entry.endsWith('.json'))
  .map((entry, at) => `export * as entry${at} from '@sluice/core${entry.slice(1)}'`)
  .join('\n')

/** Bundles for a runtime by its conditions, as wrangler, Vercel or a browser bundler would. */
async function bundle(conditions: string[], contents = app) {
  const result = await build({
    stdin: { contents, resolveDir: join(root, 'test'), sourcefile: 'app.ts' },
    bundle: true,
    conditions: ['@sluice/source', ...conditions],
    format: 'iife',
    globalName: 'sluice',
    logLevel: 'silent',
    metafile: true,
    minify: true,
    platform: 'browser',
    target: 'es2022',
    write: false,
  })
  const [file] = result.outputFiles
  if (file === undefined) throw new Error('esbuild wrote nothing')
  return { text: file.text, inputs: Object.keys(result.metafile.inputs), outputs: result.metafile.outputs }
}

type Bundle = Awaited<ReturnType<typeof bundle>>

describe.each([
  ['workerd', ['workerd', 'worker', 'browser']],
  ['edge-light', ['edge-light', 'worker', 'browser']],
  ['browser', ['browser']],
])('the bundle for %s', (_name, conditions) => {
  let made: Bundle
  beforeAll(async () => {
    made = await bundle(conditions)
  })

  it('leaves nothing outside', () => {
    const external = Object.values(made.outputs).flatMap(({ imports }) =>
      imports.filter(({ external }) => external),
    )
    expect(external).toEqual([])
  })

  it('holds nothing of Node in any entry of core', async () => {
    const all = await bundle(conditions, everyEntry)
    expect(all.inputs.filter(input => /core\/src\/\w+\.ts$/.test(input))).toHaveLength(
      everyEntry.split('\n').length,
    )
    expect(Object.values(all.outputs).flatMap(({ imports }) => imports)).toEqual([])
    expect(all.inputs.filter(input => /node_modules.*\/undici\/|transports\/undici/.test(input))).toEqual([])
    expect(all.text).not.toMatch(/["'`]node:/)
  })

  it('holds nothing of Node', () => {
    expect(made.inputs.filter(input => /node_modules.*\/undici\/|transports\/undici/.test(input))).toEqual([])
    expect(made.inputs.some(input => input.endsWith('transports/fetch.ts'))).toBe(true)
    expect(made.text).not.toMatch(/["'`]node:/)
    expect(made.text).not.toMatch(/\brequire\(/)
  })

  it('stays small', () => {
    // A bound, to notice a dependency that slips in: the size itself is no promise.
    expect(gzipSync(made.text).byteLength).toBeLessThan(234_000)
  })

  it('streams a completion where only Web APIs exist', async () => {
    const context = vm.createContext({ ...webApis })
    vm.runInContext(made.text, context)
    const answer: unknown = await vm.runInContext(
      `(async () => {
        const gateway = sluice.createGateway({
          authenticate: sluice.apiKeys([{ id: 'me', key: 'sk-test' }]),
          route: sluice.models({ demo: sluice.local()('demo') }),
        })
        const response = await gateway.fetch(new Request('http://edge.test/v1/chat/completions', {
          method: 'POST',
          headers: { authorization: 'Bearer sk-test', 'content-type': 'application/json' },
          body: JSON.stringify({ model: 'demo', stream: true, messages: [{ role: 'user', content: 'Hello' }] }),
        }))
        const text = await response.text()
        await gateway.close()
        return response.status + ' ' + text
      })()`,
      context,
    )
    expect(answer).toMatch(/^200 data: \{/)
    expect(answer).toMatch(/\ndata: \[DONE\]\n\n$/)
  })

  it('calls an upstream by fetch', async () => {
    const asked: string[] = []
    const context = vm.createContext({
      ...webApis,
      fetch: async (url: string) => {
        asked.push(url)
        return Response.json({
          id: 'x',
          object: 'chat.completion',
          choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
        })
      },
    })
    vm.runInContext(made.text, context)
    const content: unknown = await vm.runInContext(
      `(async () => {
        const upstream = sluice.openaiCompatible({ name: 'there', baseURL: 'https://upstream.test/v1', apiKey: 'k' })
        const gateway = sluice.createGateway({
          authenticate: sluice.apiKeys([{ id: 'me', key: 'sk-test' }]),
          route: sluice.models({ demo: upstream('m') }),
        })
        const response = await gateway.fetch(new Request('http://edge.test/v1/chat/completions', {
          method: 'POST',
          headers: { authorization: 'Bearer sk-test', 'content-type': 'application/json' },
          body: JSON.stringify({ model: 'demo', messages: [{ role: 'user', content: 'Hello' }] }),
        }))
        return (await response.json()).choices[0].message.content
      })()`,
      context,
    )
    expect(content).toBe('Hi')
    expect(asked).toEqual(['https://upstream.test/v1/chat/completions'])
  })
})

/** What an edge runtime offers beside the language itself. */
const webApis = {
  AbortController,
  AbortSignal,
  Blob,
  DOMException,
  Event,
  EventTarget,
  FormData,
  Headers,
  ReadableStream,
  Request,
  Response,
  TextDecoder,
  TextDecoderStream,
  TextEncoder,
  TransformStream,
  URL,
  URLSearchParams,
  WritableStream,
  atob,
  btoa,
  clearInterval,
  clearTimeout,
  console,
  crypto,
  fetch,
  performance,
  queueMicrotask,
  setInterval,
  setTimeout,
  structuredClone,
}
