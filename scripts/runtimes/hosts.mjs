// The runtimes and frameworks: what each needs from the registry, and how it serves its snippet of the docs.
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, transform } from 'esbuild'
import { binary } from './binary.mjs'
import { snippet } from './page.mjs'
import { startProgram } from './program.mjs'

const workerConfig = port => `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    (name = "internet", network = (allow = ["local"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
const worker :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "worker.js")],
  compatibilityDate = "2026-11-01",
  compatibilityFlags = ["enable_request_signal"],
);
`

/** Each starts a program that listens on the site's `port`; `path` is the mount there. */
export const hosts = {
  Bun: {
    packages: { bun: '1.4.5' },
    start: async site => {
      write(site, 'bun.ts', snippet('bun', site))
      return startProgram(binary(site.folder, 'bun'), ['bun.ts'], { ...site, cwd: site.folder })
    },
  },
  Deno: {
    packages: { deno: '2.9.6' },
    start: async site => {
      write(site, 'deno.ts', snippet('deno', site))
      const args = ['serve', '--quiet', '--no-check', '--allow-net', '--host', '127.0.0.1']
      return startProgram(binary(site.folder, 'deno'), [...args, '--port', String(site.port), 'deno.ts'], {
        ...site,
        cwd: site.folder,
        env: { DENO_DIR: join(site.folder, '.deno'), DENO_NO_UPDATE_CHECK: '1' },
      })
    },
  },
  workerd: {
    packages: { workerd: '1.20261117.1' },
    // It hears of a closed connection when something is sent on it; of one that is reset at once.
    without: ['client leaves whole'],
    start: async site => {
      write(site, 'worker.ts', snippet('workers', site, { stream: { keepAliveMs: 1_000 } }))
      await build({
        absWorkingDir: site.folder,
        entryPoints: ['worker.ts'],
        outfile: 'worker.js',
        bundle: true,
        conditions: ['workerd', 'worker', 'browser'],
        format: 'esm',
        logLevel: 'error',
        target: 'es2022',
      })
      write(site, 'worker.capnp', workerConfig(site.port))
      return startProgram(binary(site.folder, 'workerd'), ['serve', 'worker.capnp'], {
        ...site,
        cwd: site.folder,
      })
    },
  },
  'Hono, Bun': {
    packages: { bun: '1.4.5', hono: '4.13.19' },
    path: '/api/ai',
    start: async site => {
      write(site, 'hono.ts', snippet('hono', site))
      return startProgram(binary(site.folder, 'bun'), ['hono.ts'], {
        ...site,
        cwd: site.folder,
        env: { BUN_PORT: String(site.port) },
      })
    },
  },
  'Hono, Node': {
    packages: { hono: '4.13.19', '@hono/node-server': '2.1.8' },
    path: '/api/ai',
    start: async site => {
      const served = `import { serve } from '@hono/node-server'\nserve({ fetch: app.fetch, port: ${site.port}, hostname: '127.0.0.1' })\n`
      return startNode(site, 'hono.mjs', snippet('hono', site) + served)
    },
  },
  'Fastify, Node': {
    packages: { fastify: '5.12.8' },
    // Its route takes what is below /v1.
    without: ['described'],
    start: site => startNode(site, 'fastify.mjs', snippet('fastify', site)),
  },
  'Next.js, Node': {
    packages: { next: '16.4.6', react: '19.3.1', 'react-dom': '19.3.1' },
    path: '/api/ai',
    // Its build takes half a minute on a small machine.
    slow: true,
    start: startNext,
  },
}

async function startNode(site, file, code) {
  write(site, file, await javascript(code))
  return startProgram(process.execPath, [file], { ...site, cwd: site.folder })
}

async function startNext(site) {
  const folder = join(site.folder, 'next-app')
  const route = join('next-app', 'app', 'api', 'ai', '[...path]')
  // In TypeScript, Next would ask a package manager for the compiler, which checks types only.
  write(site, join(route, 'route.js'), await javascript(snippet('next', site)))
  cpSync(join(site.folder, 'gateway.mjs'), join(site.folder, route, 'gateway.mjs'))
  write(site, join('next-app', 'package.json'), '{ "private": true }\n')
  const next = join(site.folder, 'node_modules', 'next', 'dist', 'bin', 'next')
  const env = { NEXT_TELEMETRY_DISABLED: '1', NEXT_IGNORE_INCORRECT_LOCKFILE: '1', NODE_ENV: 'production' }
  await site.run(process.execPath, [next, 'build'], { cwd: folder, env })
  const args = [next, 'start', '--port', String(site.port), '--hostname', '127.0.0.1']
  return startProgram(process.execPath, args, { ...site, cwd: folder, env })
}

async function javascript(code) {
  return (await transform(code, { loader: 'ts', format: 'esm', target: 'node20' })).code
}

function write({ folder }, path, text) {
  const file = join(folder, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

/** The gateway of the cases, beside which the snippets are written. */
export const gatewayFile = fileURLToPath(new URL('gateway.mjs', import.meta.url))
