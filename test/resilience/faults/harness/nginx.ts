import { execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { findClosedPort } from '@sluice/testing'
import { onTestFinished } from 'vitest'

const run = promisify(execFile)

/** Where nginx is on this machine; `undefined` where it is not. */
export const nginxPath: string | undefined = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin']
  .map(folder => join(folder, 'nginx'))
  .find(existsSync)

/** An nginx that runs until the test ends. */
export interface Nginx {
  /** Has it read its configuration again, as `nginx -s reload`. */
  readonly reloadCommand: string
}

/**
 * Starts an nginx in front of a port until the test ends; gives its port. It has its own folder, and its defaults.
 */
export async function nginxBefore(target: number): Promise<number> {
  const port = await findClosedPort()
  await startNginx(
    `server {
  listen 127.0.0.1:${port};
  location / { proxy_pass http://127.0.0.1:${target}; }
}`,
    port,
  )
  return port
}

/** Starts an nginx with the content of a block `http`, until the test ends. Resolves when it listens on `port`. */
export async function startNginx(http: string, port: number): Promise<Nginx> {
  const { folder, args, path } = await nginxFolder(http)
  const child = spawn(path, args, { stdio: 'ignore' })
  const ended = new Promise(resolve => child.once('close', resolve))
  onTestFinished(async () => {
    child.kill('SIGTERM')
    await ended
    await rm(folder, { recursive: true, force: true })
  })
  while (!(await answers(port))) {
    if (child.exitCode !== null) throw new Error(`nginx ended with ${child.exitCode} before it listened.`)
    await sleep(10)
  }
  return { reloadCommand: [path, ...args, '-s', 'reload'].join(' ') }
}

/** Resolves with what `nginx -t` prints of the content of a block `http`; rejects with it where it is not valid. */
export async function checkNginx(http: string): Promise<string> {
  const { folder, args, path } = await nginxFolder(http)
  try {
    const { stdout, stderr } = await run(path, [...args, '-t'])
    return stdout + stderr
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** A folder with a configuration, and how nginx is called for it. */
async function nginxFolder(http: string) {
  if (nginxPath === undefined) throw new Error('There is no nginx on this machine.')
  const folder = await mkdtemp(join(tmpdir(), 'sluice-nginx-'))
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  await writeFile(
    join(folder, 'nginx.conf'),
    `daemon off; pid ${folder}/pid; error_log ${folder}/error.log; worker_processes 1;
events { worker_connections 256; }
http {
  access_log off;
  ${temporary.map(name => `${name}_temp_path ${folder}/${name};`).join(' ')}
  ${http}
}
`,
  )
  const args = ['-p', folder, '-e', join(folder, 'error.log'), '-c', join(folder, 'nginx.conf')]
  return { folder, args, path: nginxPath }
}

function answers(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}
