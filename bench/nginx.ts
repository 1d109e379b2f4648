import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { start, stop } from './processes.ts'

export function hasNginx(): boolean {
  return spawnSync('nginx', ['-v']).status === 0
}

/** The same answer to each request, by nginx: the fastest upstream there is. */
export async function startNginx(body: string): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  process.once('exit', remove)
  const port = await freePort()
  writeFileSync(join(folder, 'nginx.conf'), configuration(folder, port, body))
  // By `-e` it does not try the log of the whole machine first.
  const child = start('nginx', ['-e', 'stderr', '-p', folder, '-c', join(folder, 'nginx.conf')], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  await answering(port)
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      await stop(child)
      remove()
    },
  }
}

/** One process and no master: it leaves nobody behind when it is killed. */
function configuration(folder: string, port: number, body: string): string {
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    name => `${name}_temp_path ${folder}/${name};`,
  )
  return `daemon off; master_process off; pid ${folder}/nginx.pid; error_log stderr crit;
events { worker_connections 8192; }
http {
  access_log off; keepalive_requests 1000000000; keepalive_timeout 600s;
  client_max_body_size 8m; client_body_buffer_size 2m; ${places.join(' ')}
  server { listen 127.0.0.1:${port}; location / { default_type application/json; return 200 '${body}'; } }
}
`
}

async function answering(port: number): Promise<void> {
  for (let tries = 100; tries > 0; tries--) {
    try {
      await fetch(`http://127.0.0.1:${port}/`)
      return
    } catch {
      await new Promise(resolve => setTimeout(resolve, 50))
    }
  }
  throw new Error('nginx did not begin to answer: see above.')
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject).listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
}
